"""The PostgreSQL that comes with the project, and the demonstration that stands on it."""
