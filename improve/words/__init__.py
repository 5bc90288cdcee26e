"""What is said of suggested changes and their evaluations."""
