# Every command here works on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check fmt lint types docs bench clean

$(VENV)/installed: pyproject.toml packages/lamina_e5/pyproject.toml packages/lamina_e5/repack.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet ./packages/lamina_e5 --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/checked: $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group check
	touch $@

demo: $(VENV)/installed  ## remember a conversation, close, open again, ask
	$(BIN)/lamina demo

test: $(VENV)/tested  ## the whole suite
	$(BIN)/python -m pytest

fmt: $(VENV)/checked  ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/checked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/checked
	$(BIN)/mypy

docs: $(VENV)/tested  ## what is written is run
	$(BIN)/python -m pytest tests/docs

bench: $(VENV)/tested  ## figures for this machine; see benchmarks/README.md
	$(BIN)/python -m pip install --quiet --requirement benchmarks/requirements.txt
	$(BIN)/python benchmarks/speed.py

check: lint types test  ## everything that CI runs

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
