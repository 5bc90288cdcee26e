"""Views: thin; a module for each page."""
