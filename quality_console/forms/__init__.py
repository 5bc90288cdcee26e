"""Forms: a module for each page."""
