#!/usr/bin/env python
"""Django's command line. By hand it works on the embedded profile, the one that ``make serve`` runs."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sharedtask.settings.embedded")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
