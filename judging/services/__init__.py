"""What changes rules and the queue; every function joins the caller's transaction, unless it says otherwise."""
