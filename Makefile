# Needs Python 3.11 or newer and make; every target makes the environment it needs.
#   PYTHON=python3.12 make test     another interpreter, in an environment of its own
#   make test ARGS="-k deadlock -x" further arguments for pytest

PYTHON ?= python3
JOBS ?= 2
VERSIONS ?= 3.11 3.12 3.13 3.14 3.15
ARGS ?=

# The tests start hundreds of interpreters: each would compile the project again.
unexport PYTHONDONTWRITEBYTECODE

VENV := $(if $(filter python3,$(PYTHON)),.venv,.venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'))
BIN := $(VENV)/bin
READY := $(VENV)/ready
SITE := .demo/site
BENCH := .venv-bench
MCP := .venv-mcp
NOTEBOOK := .venv-notebook
DOCS := .venv-site
BROWSER := .cache/browser
AXE := 4.10.3
SPREAD := -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-fast test-long test-browser test-versions test-mcp test-notebook fuzz check budget format bench docs site gallery man dist lock clean

help: ## show this list
	@echo "make TARGET [PYTHON=python3.12] [JOBS=2] [ARGS=...]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Mazurka needs Python 3.11 or newer; try PYTHON=python3.12 make ..." if sys.version_info < (3, 11) else 0)'
	@echo "Making $(VENV) (half a minute, once)"
	@$(PYTHON) -m venv --clear $(VENV)
	@# Modules are compiled when they are first imported: to compile all takes half of the time, and many are not used.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(SITE)/ready: $(READY) demo/requirements.txt
	@rm -rf $(SITE)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(SITE) --requirement demo/requirements.txt
	@touch $@

$(BENCH)/ready: $(READY) requirements-bench.lock
	@$(BIN)/python -m venv --clear $(BENCH)
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-bench.lock
	@touch $@

$(BROWSER)/ready: $(READY) tests/browser/requirements.txt
	@rm -rf $(BROWSER)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(BROWSER)/site --requirement tests/browser/requirements.txt
	@cd $(BROWSER) && npm pack --silent axe-core@$(AXE) >/dev/null && tar xzf axe-core-$(AXE).tgz package/axe.min.js package/LICENSE
	@touch $@

$(MCP)/ready: requirements-mcp.lock pyproject.toml
	@$(PYTHON) -m venv --clear $(MCP)
	@$(MCP)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-mcp.lock
	@$(MCP)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(NOTEBOOK)/ready: requirements-notebook.lock pyproject.toml
	@$(PYTHON) -m venv --clear $(NOTEBOOK)
	@$(NOTEBOOK)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-notebook.lock
	@$(NOTEBOOK)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: $(SITE)/ready ## find a bug in a released library, explain it and replay it
	@$(BIN)/python demo/run.py

test: $(READY) ## run the test suite, three cases of each test whose cases take long
	SAMPLED_CASES=3 $(BIN)/python -m pytest $(SPREAD) $(ARGS)

test-all: $(READY) ## run the test suite, all cases of each test
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

test-fast: $(READY) ## run the tests that take no more than a few seconds each
	SAMPLED_CASES=3 $(BIN)/python -m pytest $(SPREAD) -m "not slow" $(ARGS)

test-long: $(READY) ## run all cases, and tests that take very long, with many more generated programs
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest $(SPREAD) $(ARGS)

test-browser: $(BROWSER)/ready ## look at pages in Chromium (CHROMIUM=path); screenshots go to build/browser
	MAZURKA_BROWSER=1 $(BIN)/python -m pytest tests/browser $(ARGS)

test-versions: ## run all cases on each supported version of Python that is installed (VERSIONS="3.12 3.13": some)
	@for version in $(VERSIONS); do \
	    python=$$(tools/interpreter $$version); \
	    echo "== Python $$version: $${python:-not found}"; \
	    [ -z "$$python" ] || $(MAKE) --no-print-directory test-all PYTHON=$$python || exit 1; \
	done

test-mcp: $(MCP)/ready ## test the server for assistants with the client of the protocol's SDK
	$(MCP)/bin/python -m pytest -p no:cacheprovider tests/mcp_server/sdk_client.py $(ARGS)

test-notebook: $(NOTEBOOK)/ready ## test the magic, and the results in a notebook, with a kernel of IPython
	$(NOTEBOOK)/bin/python -m pytest -p no:cacheprovider tests/notebook/kernel.py $(ARGS)

fuzz: $(READY) ## feed damaged traces to each reader for a minute (ARGS="std --minutes 60 --keep")
	PYTHONPATH=src $(BIN)/python -m tests.fuzz.traces $(ARGS)

check: $(READY) ## check formatting, lint, types and the layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

budget: $(READY) ## print how much code there is to know, and fail if it has grown (ARGS=--save: keep smaller figures)
	$(BIN)/python tools/budget.py $(ARGS)

format: $(READY) ## format the code and apply the safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH)/ready ## measure every figure that is demanded (ARGS="speed counts": some)
	FRONTRUN_PYTHON=$(abspath $(BENCH)/bin/python) PYTHONPATH=src $(BIN)/python -m benchmarks $(ARGS)

docs: $(READY) ## check links, error names and the commands in README and docs
	$(BIN)/python tools/check_docs.py $(ARGS)

$(DOCS)/ready: requirements-site.lock
	@$(PYTHON) -m venv --clear $(DOCS)
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements-site.lock
	@touch $@

site: $(DOCS)/ready ## build the site of the documentation, build/site (strict: a broken link is an error)
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/python -m mkdocs build --quiet --strict --config-file tools/site/mkdocs.yml $(ARGS)
	@echo "build/site/index.html"

gallery: $(READY) ## make the pages of bugs in released libraries, which `make site` then has (half a minute; PyPI)
	PYTHONPATH=src $(BIN)/python tools/site/gallery.py

man: $(READY) ## write the manual page, build/mazurka.1
	@mkdir -p build
	@PYTHONPATH=src $(BIN)/python -m mazurka man > build/mazurka.1
	@echo "man -l build/mazurka.1"

dist: $(READY) ## build the wheel and the source distribution into dist/
	rm -rf dist
	$(BIN)/python -m hatchling build

lock: ## pin again what a clean environment on the oldest supported Python gets
	$(PYTHON) tools/lock.py

clean: ## remove environments, caches and what was saved
	rm -rf .venv .venv-* .demo .cache .mazurka .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
