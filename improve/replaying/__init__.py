"""Asking an agent's replay endpoint: the network's edge. Knows no database (contract, section 7)."""
