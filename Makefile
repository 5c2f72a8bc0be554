# Everything runs from .venv, which the first target makes. No target needs anything installed by hand but Python 3.11+ and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
REPO ?=

.PHONY: demo test lint types layers unit check-real bench bench-quick bench-tasks bench-peers bench-self clean

$(STAMP): pyproject.toml
	@echo "Installing into $(VENV), about 720 MB: a minute or two, once"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/python examples/demo.py $(if $(REPO),--repo '$(REPO)')

test: lint types layers unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/pytest -n 2 -m 'not real'

check-real: $(STAMP)
	$(BIN)/pytest -m real

# Beside other tools: `make bench-peers` once (into ~/.cache/cmgit-bench), then for one repository in under three minutes
# `make bench-quick REPO=PATH`, or all: `make bench REPOS=DIR TASKS=DIR MINUTES=25`. docs/benchmarks.md says what is measured.
WHAT = $(foreach one,$(REPO),--repo '$(one)') $(if $(REPOS),--repos '$(REPOS)') $(if $(TOOLS),--tools $(TOOLS))

bench: $(STAMP)
	$(BIN)/python bench/bench.py $(WHAT) $(if $(TASKS),--tasks $(TASKS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(ALSO),--also $(ALSO))

# What real changes touched, no times: `make bench-tasks REPOS=DIR TASKS=DIR MINUTES=30`.
bench-tasks: $(STAMP)
	$(BIN)/python bench/bench.py --tasks-only $(WHAT) --tasks $(TASKS) $(if $(MINUTES),--minutes $(MINUTES))

bench-quick: $(STAMP)
	$(BIN)/python bench/bench.py --quick $(WHAT)

bench-peers: $(STAMP)
	$(BIN)/python bench/peers_install.py $(if $(ONLY),--only $(ONLY))

# cmgit alone, with the stages of the build.
bench-self: $(STAMP)
	$(BIN)/python bench/run.py $(if $(REPO),--repo '$(REPO)')

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
