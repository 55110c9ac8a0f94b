"""`python -m evaluation`: the evaluator without a server."""

import sys

from evaluation.cli import main

sys.exit(main())
