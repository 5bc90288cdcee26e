"""What people said of a run, as its page shows it: who, as what, how it stands, and what became of it since."""
