"""Correcting a run by a form: what was typed, what the form shows of it, and what a correction says of it.

Nothing of the form needs a script: a change of its shape (a call that is added, another list of the
output) is a button that sends it, and it comes back with everything that was typed.
"""
