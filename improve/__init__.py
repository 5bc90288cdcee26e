"""Suggested changes to agents, and their evaluation by replaying corrected runs (contract, section 7)."""
