"""The command line of the evaluator, without a server."""

import sys

from .cli import main

sys.exit(main())
