"""Corrections and judge classes in Django admin; what each model's admin does is in the module of its name."""

from corrections.admin import classes, corrections, records, test_runs

__all__ = ["classes", "corrections", "records", "test_runs"]
