"""Suggested changes in the browser: the tab, a change's page, and drafting one (contract, sections 7 and 8)."""
