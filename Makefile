# Needs only make and Python 3.11 or newer: what else it takes is put into .venv and var/.
.DEFAULT_GOAL := help

WEB_HOST ?= 127.0.0.1
PORT ?= 8000
DEMO ?=
# Many tests wait, for processes and for a browser: three test processes keep two cores busy.
TEST_WORKERS ?= $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
ARGS ?=
RUNS ?=
AGENTS ?=
ONLY ?=
export PYTHON ?= python3

PY := .venv/bin/python
RUNTIME := .venv/.runtime
ALL := .venv/.all

# Without its compiled modules every start of Python takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo dev serve test lint fmt bench screenshots services hooks

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(RUNTIME): pyproject.toml uv.lock scripts/bootstrap
	@scripts/bootstrap runtime

$(ALL): pyproject.toml uv.lock scripts/bootstrap
	@scripts/bootstrap

demo: $(RUNTIME) ## Serve demonstration data (PORT=8000, WEB_HOST=127.0.0.1, DEMO=empty for no generated runs)
	@exec $(PY) manage.py demo --host "$(WEB_HOST)" --port "$(PORT)" $(if $(filter empty,$(DEMO)),--empty)

dev: $(ALL) ## Serve the working tree and reload it when it changes (PORT=8000)
	@DEBUG=true exec $(PY) -m kindgi.embedded run $(PY) manage.py runserver "$(WEB_HOST):$(PORT)"

serve: $(RUNTIME) ## Serve with the production server, as the environment says (see README.md)
	@exec $(PY) manage.py serve --host "$(WEB_HOST)" --port "$(PORT)"

test: $(ALL) ## Run all tests (ARGS='-k words' chooses, TEST_WORKERS=4 sets the number of processes)
	@$(PY) -m pytest -n $(TEST_WORKERS) --dist worksteal $(ARGS)

lint: $(ALL) ## Check style, types, layers, migrations and production settings
	@scripts/lint

fmt: $(ALL) ## Format the code and mend what can be mended
	@.venv/bin/ruff check --fix --quiet . || true
	@.venv/bin/ruff format .

bench: $(ALL) ## Say how to measure
	@echo "The benches are programs in bench/, each with its own --help:"
	@for bench in bench/*.py; do [ -e "$$bench" ] && echo "  $(PY) $$bench" || echo "  (none yet)"; done

screenshots: $(ALL) ## Photograph the console into var/screenshots (ONLY=words; RUNS=runs.jsonl AGENTS=agents.json add real runs)
	@$(PY) -m scripts.screenshots $(if $(ONLY),--only "$(ONLY)") \
		$(if $(RUNS),--runs "$(RUNS)") $(if $(AGENTS),--agents "$(AGENTS)")

services: ## Install the browser and the brokers that tests use, where any is missing (Debian, as root)
	@scripts/services

hooks: $(ALL) ## Check each commit before it is made (pre-commit)
	@.venv/bin/pre-commit install
