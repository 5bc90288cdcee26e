"""What reads rules, the queue and results; every function takes its scope."""
