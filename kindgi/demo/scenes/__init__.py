"""What agents were asked and what they did: made up from parts, by a seeded generator."""
