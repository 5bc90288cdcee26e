"""Demonstration data: two made-up companies, their people, and ninety days of their agents' runs."""
