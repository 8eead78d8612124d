# Every recipe does its own set-up, from a bare clone on.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

export DAGSTER_HOME := $(CURDIR)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SITE ?= site
PORT ?= 3000

.PHONY: setup demo dev test test-python check bench clean viewer picture lock

setup: $(VENV)/.dev viewer

demo: $(VENV)/.run viewer
	@LLM_PROVIDER=$${LLM_PROVIDER:-local} $(BIN)/atlas build
	@$(BIN)/atlas export --site $(SITE)

dev: $(VENV)/.run viewer
	@echo "Dagster is at http://127.0.0.1:$(PORT) (Ctrl-C ends it)"
	@$(BIN)/dagster dev --host 127.0.0.1 --port $(PORT) --workspace workspace.yaml

test: $(VENV)/.dev viewer
	@$(BIN)/pytest
	@cd viewer && npm test --silent
	@if command -v chromium >/dev/null; then cd viewer && npm run --silent test:browser; \
	elif test -n "$${CI:-}"; then echo "the viewer's browser tests need Debian's chromium" >&2; exit 1; \
	else echo "the viewer's browser tests were left out: there is no chromium here"; fi

# The Python tests alone, for another interpreter: make test-python PYTHON=python3.13 VENV=.venv-3.13
test-python: $(VENV)/.dev viewer
	@$(BIN)/pytest -m "not browser"

check: $(VENV)/.dev viewer
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd viewer && npm run --silent check
	$(BIN)/dagster definitions validate --workspace workspace.yaml

bench: $(VENV)/.dev viewer
	$(BIN)/python -m benchmarks

picture: demo
	$(BIN)/python -m benchmarks.picture

clean:
	rm -rf $(VENV) .venv-3.13 viewer/node_modules viewer/dist $(SITE) .mypy_cache .ruff_cache .pytest_cache .hypothesis

viewer: viewer/dist/atlas.js

viewer/dist/atlas.js: viewer/node_modules/.package-lock.json $(shell find viewer -name node_modules -prune -o -name dist -prune -o -name test -prune -o -type f -print 2>/dev/null)
	@cd viewer && npm run --silent build
	@touch $@

viewer/node_modules/.package-lock.json: viewer/package.json viewer/package-lock.json
	@command -v npm >/dev/null || { echo "MCP Atlas needs Node 20 or newer; install it and run make again" >&2; exit 1; }
	@node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || { echo "MCP Atlas needs Node 20 or newer; this is $$(node --version)" >&2; exit 1; }
	@cd viewer && npm ci --no-audit --no-fund --silent
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "MCP Atlas needs Python 3.11 or newer; name one with make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# The dev lock holds the run lock's versions and more, so .dev makes .run good too.
$(VENV)/.run: $(VENV)/bin/python requirements.lock pyproject.toml
	@test -e $(VENV)/.dev || { echo "Installing Python packages (about a minute)"; $(BIN)/pip install -q --require-hashes -r requirements.lock; }
	@$(BIN)/pip install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python requirements-dev.lock pyproject.toml
	@echo "Installing Python packages (one to two minutes)"
	@$(BIN)/pip install -q --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install -q --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run

# For maintainers: resolve both locks anew. Universal, hashed, no index address.
LOCK = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-strip-extras --no-header --no-annotate
lock: $(VENV)/.dev
	$(LOCK) --group dev pyproject.toml -o requirements-dev.lock
	$(LOCK) --group build -c requirements-dev.lock pyproject.toml -o requirements.lock
