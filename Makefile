# The commands of the README and further ones for developers. `make` lists them.

python := .venv/bin/python
# The tests to run: all by default, or for example `make test TESTS=tests/house`.
TESTS ?= tests
# The number of test processes, each with its own servers; 0 runs everything in one process. More than a small
# machine has processors, because many tests mostly wait for browsers and servers.
JOBS ?= 3

# Keep compiled Python files even if the environment disables them: site and tests start many processes, and
# each would compile everything again.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help serve test lint format bench simulation sapling cascades fuzz escape uploads agreement contract
.PHONY: sentences screenshots clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamps are newer than the requirements, so that nothing is installed twice.
.venv/installed: requirements.txt constraints.txt
	@serve/make_venv.sh requirements.txt
	@touch $@

.venv/installed-for-development: requirements-dev.txt .venv/installed
	@serve/make_venv.sh requirements-dev.txt
	@touch $@

serve: .venv/installed ## Run the site on this machine (PORT, HOST, DATA_DIR, VERBOSE); Ctrl-C stops it
	@exec $(python) -m serve --stop-with-parent

test: .venv/installed-for-development ## Run all tests, or TESTS=path, in JOBS=n processes
	@exec $(python) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(TESTS)

lint: .venv/installed-for-development ## Check style and types
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy

format: .venv/installed-for-development ## Format the code
	$(python) -m ruff check --fix-only --quiet .
	$(python) -m ruff format .

bench: .venv/installed-for-development ## Run the benchmarks (not part of the tests)
	@set -e; for script in benchmarks/[a-z]*.py; do echo "== $$script"; PYTHONPATH=. $(python) $$script; done

simulation: .venv/installed-for-development ## Measure coverage, false lines and power by simulation (minutes)
	@exec $(python) benchmarks/_simulation.py

sapling: .venv/installed-for-development ## Train the parser of examples/sapling and measure it (minutes)
	@exec $(python) benchmarks/_sapling.py

cascades: .venv/installed-for-development ## Run experiments with constraints through a site, French and English (root; minutes)
	@exec $(python) benchmarks/_cascades.py $(CASCADES)

fuzz: .venv/installed-for-development ## Try a million hostile inputs; FUZZ="--cases N --jobs N" changes that
	@exec $(python) -m tests.fuzz $(FUZZ)

escape: .venv/installed-for-development ## Try to escape from both container engines, with large limits (root)
	@exec $(python) -m tests.escape

uploads: .venv/installed-for-development ## Upload 1 GB with two real clients, cutting the connection five times
	@exec $(python) -m tests.large_uploads

agreement: .venv/installed-for-development ## Compare `arboretum check` with the server on all of CoNLL 2017
	@exec env AGREEMENT=all $(python) -m pytest -s tests/sharedtask/whole_site/test_check_agrees.py

contract: .venv/installed-for-development ## Send the API everything that its OpenAPI document allows, and more
	@exec $(python) -m tests.contract $(CONTRACT)

sentences: .venv/installed-for-development ## Write every sentence shown to users into build/sentences.txt
	@exec $(python) -m tests.house.sentences build/sentences.txt

screenshots: .venv/installed-for-development ## Take the screenshots of the README again
	@exec env KEEP_SCREENSHOTS=1 $(python) -m pytest tests/house/test_pictures.py

clean: ## Remove build files; the data in var/ are kept
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
