# The one prerequisite is Python 3.11 or newer. Everything else goes into .venv, with the versions of requirements-dev.lock.
PYTHON ?= python3
UV_VERSION := 0.13.8
VENV := .venv
BIN := $(VENV)/bin
# A process for each core, four at most: some tests start Spark.
PYTEST_ARGS ?= -n auto --maxprocesses 4
RUN_ARGS ?=
DEMO_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=

export PYTHONDONTWRITEBYTECODE ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Progress is for people: on a terminal the installers show theirs.
QUIET := $(shell test -t 2 || echo --quiet)
VENV_STAMP := $(VENV)/.made
LOCK_STAMP := $(VENV)/.locked
INSTALL_STAMP := $(VENV)/.installed
BUILD_STAMP := $(VENV)/.built
# Each is a source root: the part of the package tidewire that is in it, by its full name.
FOLDERS := generated runtime messages reading spark cli generator
COMPILED_SOURCES := $(shell find generated runtime messages reading spark -name _compiled -prune -o \( -name "*.py" -o -name "*.pxd" \) -print 2>/dev/null)
# The generator without the package it prints: it has to run when that is missing or broken.
GENERATE := PYTHONPATH=$(CURDIR)/generator $(BIN)/python -m tidewire.generator

.PHONY: help setup build wheel generate check test test-fast run demo bench fuzz java lock clean distclean oracle oracle-build oracle-golden record record-debezium
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(BUILD_STAMP) ## virtual environment .venv, locked versions, compiled modules (PYTHON=python3.12 for another Python)

# Given on the command line, PYTHON replaces an environment that was made with another one.
ifneq ($(filter command line environment,$(origin PYTHON)),)
ifneq ($(shell ($(BIN)/python -c 'import sys; print(sys.version_info[:3])') 2>/dev/null),$(shell ($(PYTHON) -c 'import sys; print(sys.version_info[:3])' || echo none) 2>/dev/null))
.PHONY: $(VENV_STAMP)
endif
endif

$(VENV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Tidewire needs Python 3.11 or newer, and '$(PYTHON)' is not: make PYTHON=/path/to/python3.12 $(or $(MAKECMDGOALS),setup)" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "No virtual environment could be made: install your system's venv package (Debian: apt install python3-venv)" >&2; exit 1; }
	@touch $@

# The bytecode is written here, once: what runs from this file writes none, so that each process would compile pandas anew.
$(LOCK_STAMP): requirements-dev.lock | $(VENV_STAMP)
	@echo "installing the versions of requirements-dev.lock into $(VENV)"
	@$(BIN)/python -m pip install --quiet uv==$(UV_VERSION) \
	  && VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install $(QUIET) --compile-bytecode --requirement requirements-dev.lock \
	  || { echo "uv did not manage; trying pip"; $(BIN)/python -m pip install $(QUIET) --requirement requirements-dev.lock; }
	@touch $@

# A change of the lock or of the environment installs the project again; a change of its code does not need to.
# The .pth file names the source roots, for mypy and editors outside of this folder: they run no import hook. And a script
# in the folder above a clone called tidewire would take the clone for the package: Python asks import hooks last.
$(INSTALL_STAMP): $(LOCK_STAMP) pyproject.toml setup.py
	@TIDEWIRE_BUILD=pure $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@printf '%s\n' $(FOLDERS:%='$(CURDIR)/%') > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tidewire-roots.pth"
	@touch $@

build: $(BUILD_STAMP) ## compile what changed in runtime/, generated/, messages/, reading/ and spark/

$(BUILD_STAMP): $(INSTALL_STAMP) cython_sources.py $(COMPILED_SOURCES)
	@touch $@.new  # as old as the build's start: what is edited meanwhile is newer
	@TIDEWIRE_BUILD=strict $(BIN)/python setup.py --quiet build_ext --inplace
	@[ ! -f runtime/tidewire/runtime/_compiled/manifest.json ] || mv $@.new $@  # without a compiler the next make tries again

WHEEL_DIR ?= dist

# auditwheel names the oldest Linux that it runs on; the modules need no library beside C's.
wheel: setup ## a wheel under dist/ for machines without a C compiler, of this Python and this kind of machine
	@rm -rf build/wheel && $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	@mkdir -p $(WHEEL_DIR) && rm -f $(WHEEL_DIR)/tidewire-*.whl
	@case "$$(ls build/wheel)" in \
	  *linux_*) PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir $(WHEEL_DIR) build/wheel/*.whl 2>/dev/null ;; \
	  *) cp build/wheel/*.whl $(WHEEL_DIR) ;; \
	esac
	@ls $(WHEEL_DIR)/tidewire-*.whl

generate: $(INSTALL_STAMP) ## print generated/ from spec/
	@$(GENERATE)

check: setup ## ruff, mypy --strict over everything, and whether generated/ is what spec/ says
	$(BIN)/ruff check .
	$(BIN)/mypy $(FOLDERS) $(wildcard tests demo benchmarks oracle/check_golden.py) setup.py cython_sources.py
	$(GENERATE) --check

# Tests are the exception: each process that they start would compile sources, and rewrite asserts, anew.
test test-fast: export PYTHONDONTWRITEBYTECODE :=

# Tests start Spark often. Without the archive they are slower, and the same.
build/spark.jsa: tests/java_archive.py $(LOCK_STAMP) | setup
	@mkdir -p build && $(BIN)/python -m tests.java_archive 2>/dev/null || echo "no archive of Spark's classes was made: tests that start Spark take longer"

test: setup build/spark.jsa ## all tests; those of the codecs with the compiled modules and interpreted, but for those marked once
	$(BIN)/pytest $(PYTEST_ARGS)
	@if $(BIN)/python -c 'import sys, tidewire.runtime as r; sys.exit(not r.compiled)'; then \
	  echo "once more, interpreted: the tests of the codecs"; \
	  echo "TIDEWIRE_PURE=1 $(BIN)/pytest -m 'codec and not once' $(PYTEST_ARGS)"; \
	  TIDEWIRE_PURE=1 $(BIN)/pytest -m 'codec and not once' $(PYTEST_ARGS); \
	else \
	  $(BIN)/python -c 'import tidewire.runtime as r; print(f"the tests ran interpreted only ({r.compiled_reason})")'; \
	fi

test-fast: setup ## for each change: the tests that need no Spark, no registry, no build and no network, once
	$(BIN)/pytest -m 'not whole' $(PYTEST_ARGS)

java: setup ## Java 17 or newer for Spark: the system's, or a wheel
	@$(BIN)/python -P spark/tidewire/spark/java.py install

run: setup java ## decode the shipped capture with Spark into Parquet tables under out/
	@$(BIN)/python -P -m tidewire.spark.demo $(RUN_ARGS)

demo: setup java ## a broker of Kafka, a shop, and tables of Iceberg and Delta that are kept current; fetches 129 MB of jars once
	@$(BIN)/python -m demo $(DEMO_ARGS)

bench: setup ## measure; tables, JSON under benchmarks/results, figures and pictures in docs
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

fuzz: setup ## mutated messages against the decoders, time-boxed
	$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

# The oracle is TiCDC's own code behind JSON lines: a development tool, which wants Go 1.26 or newer.
oracle-build: ## build the oracle, TiCDC's own codecs (Go; the first time some 7 minutes and 5 GB of caches)
	cd oracle && GONOSUMDB='*' go build -p 2 -buildvcs=false -tags intest -ldflags='-s -w' -o ../build/oracle .

GOLDEN ?= $(CURDIR)/build/golden

oracle-golden: setup oracle-build ## re-encode recorded streams with TiCDC's own encoders and compare
	@mkdir -p build/golden && tar -xf tests/golden/craft.tar.xz -C build/golden
	$(BIN)/python oracle/check_golden.py build/oracle $(GOLDEN)

ORACLE_ARGS ?=

oracle: setup oracle-build ## TiCDC's own encoders and decoders beside ours, on 120,000 events at random of each protocol (Go)
	$(BIN)/pytest -q tests/oracle/properties.py
	$(BIN)/python -m tests.oracle.differential $(ORACLE_ARGS)

RECORD_ARGS ?=

record: setup oracle-build ## run the SQL of tests/scenarios through TiCDC and keep what it writes (Go)
	$(BIN)/python -m tests.oracle.record $(RECORD_ARGS)

# Debezium's own connector and MariaDB instead of TiCDC: an environment of its own, 250 MB, and no part of the tests.
NATIVE_DEBEZIUM := build/native-debezium
RECORD_DEBEZIUM_ARGS ?=

$(NATIVE_DEBEZIUM)/.made: tests/native_debezium/requirements.txt
	@$(PYTHON) -m venv --clear $(NATIVE_DEBEZIUM)
	@$(NATIVE_DEBEZIUM)/bin/python -m pip install --quiet --requirement $<
	@touch $@

record-debezium: $(NATIVE_DEBEZIUM)/.made ## run the SQL of tests/native_debezium through MariaDB and Debezium's own connector and keep what it writes (Java 17)
	$(NATIVE_DEBEZIUM)/bin/python -m tests.native_debezium.record $(RECORD_DEBEZIUM_ARGS)

lock: $(VENV_STAMP) ## choose the versions of requirements-dev.lock anew
	@$(BIN)/python -m pip install --quiet uv==$(UV_VERSION)
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --extra dev pyproject.toml -o requirements-dev.lock

clean: ## remove what was built
	rm -rf build dist out runtime/tidewire/runtime/_compiled *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f $(BUILD_STAMP) $(INSTALL_STAMP)

distclean: clean ## and the virtual environment
	rm -rf $(VENV)
