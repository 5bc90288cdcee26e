"""What changes runs, agents and pins; every function joins the caller's transaction."""
