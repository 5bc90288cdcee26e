"""The project's database backend: Django's for PostgreSQL, and what base.py adds."""
