"""Tables of django-tables2: a module for each page."""
