# Everything runs from .venv, which the first target makes. No target needs anything installed by hand but Python 3.11+ and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
REPO ?=

.PHONY: demo test lint types layers unit check-real bench clean

$(STAMP): pyproject.toml
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

bench: $(STAMP)
	$(BIN)/python bench/run.py $(if $(REPO),--repo '$(REPO)')

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
