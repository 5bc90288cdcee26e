"""What changes corrections and judge classes; every function joins the caller's transaction."""
