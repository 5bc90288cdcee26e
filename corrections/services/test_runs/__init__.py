"""Test runs: what a version did on corrected runs, and what that makes of the corrections (contract, section 4)."""
