"""What reads test sets, suggested changes, their evaluations and replay endpoints."""
