"""What an address asks of a table, read by django-filter: a module for each page."""
