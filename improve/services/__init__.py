"""What changes test sets, suggested changes, their evaluations and replay endpoints."""
