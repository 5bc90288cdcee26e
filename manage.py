#!/usr/bin/env python
"""Django's command line."""

import sys

from django.core.management import execute_from_command_line

from kindgi.startup import configured

if __name__ == "__main__":
    with configured():
        execute_from_command_line(sys.argv)
