"""The browser's side of the product: reviewers' queue and runs, rules, trends, people (contract, section 8)."""
