"""A run's content as a page can print it: pure functions from JSON texts to small frozen dataclasses.

Nothing here reads the database or knows a request. Every text that is handed out can be printed
and sent as UTF-8, and everything has a fixed size at which it is cut; what was cut is read whole
by :func:`quality_console.presenting.runs.part_of`.
"""
