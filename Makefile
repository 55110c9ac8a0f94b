# The two commands of the README, and what developers need besides. `make` alone lists them.

python := .venv/bin/python
# What is tested: everything, or what is named, as in `make test TESTS=tests/house`.
TESTS ?= tests
# How many processes share the tests, each with servers of its own; 0 runs them one after the other. More than
# a small machine has processors, because browsers and drills wait as often as they work.
JOBS ?= 3

# What Python compiled is kept in this tree even where it is told to keep nothing: site and suite start many
# processes, and each would compile everything anew.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help serve test lint format bench fuzz sentences screenshots clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamps are younger than what was installed, so that nothing is installed twice.
.venv/installed: requirements.txt constraints.txt
	@serve/make_venv.sh requirements.txt
	@touch $@

.venv/installed-for-development: requirements-dev.txt .venv/installed
	@serve/make_venv.sh requirements-dev.txt
	@touch $@

serve: .venv/installed ## Run the whole site here (PORT, HOST, DATA_DIR), Ctrl-C stops it
	@exec $(python) -m serve --stop-with-parent

test: .venv/installed-for-development ## Run the whole suite, or TESTS=path, in JOBS=n processes
	@exec $(python) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(TESTS)

lint: .venv/installed-for-development ## Check style and types
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy

format: .venv/installed-for-development ## Put the code into the house's format
	$(python) -m ruff check --fix-only --quiet .
	$(python) -m ruff format .

bench: .venv/installed-for-development ## Print figures of speed; never part of the tests
	@set -e; for script in benchmarks/[a-z]*.py; do echo "== $$script"; PYTHONPATH=. $(python) $$script; done

fuzz: .venv/installed-for-development ## Try a million hostile inputs; FUZZ="--cases N --jobs N" changes that
	@exec $(python) -m tests.fuzz $(FUZZ)

sentences: .venv/installed-for-development ## Write every sentence that a user can see into build/sentences.txt
	@exec $(python) -m tests.house.sentences build/sentences.txt

screenshots: .venv/installed-for-development ## Take the README's pictures anew, with the tests' own browser
	@exec env KEEP_SCREENSHOTS=1 $(python) -m pytest tests/house/test_pictures.py

clean: ## Remove what was built; the data in var/ stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
