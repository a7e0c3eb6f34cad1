# Everything from nothing: `make demo` and `make test`. `make help` lists the rest.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := build

PRESET ?= release
BUILD := build/$(PRESET)
VENV := .venv
PY := $(VENV)/bin/python
# The peers' environment has Quernel too, so that everything is timed in one process.
BENCH_PY = $(firstword $(wildcard .venv-bench/bin/python) $(PY))
JOBS ?= $(shell nproc)
PYTEST_WORKERS ?= $(JOBS)

# A stamp carries the digest of what it was made from, so a changed pin makes it anew and an unchanged one costs nothing.
digest = $(shell cat $(1) | sha256sum | cut -c1-16)
venv_stamp := $(VENV)/.made-$(call digest,setup/requirements-dev.txt setup/venv.sh)
configure_stamp := $(BUILD)/.configured-$(call digest,CMakePresets.json)
PACKAGES_VENV := .venv-packages
packages_stamp := $(PACKAGES_VENV)/.made-$(call digest,setup/requirements-packages.txt setup/packages.sh)

# The pinned NVRTC, for the tests that compile CUDA C++ from C++.
with_nvrtc = LD_LIBRARY_PATH=$(abspath $(firstword $(wildcard $(VENV)/lib/python3*/site-packages/nvidia/cu13/lib)))

.PHONY: help packages setup build demo test test-cxx test-lit test-python lint tidy format docs \
        bench bench-peers test-packages test-conformance wheel asan tsan clean distclean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

packages:
	@setup/debian.sh

$(venv_stamp): | packages
	@setup/venv.sh $(VENV) setup/requirements-dev.txt
	@touch $@

setup: packages $(venv_stamp) ## install the Debian packages and make .venv

$(configure_stamp): $(venv_stamp)
	@rm -f $(BUILD)/CMakeCache.txt $(BUILD)/.configured-*
	@cmake --preset $(PRESET)
	@touch $@

build: packages $(venv_stamp) $(configure_stamp) ## build, and put the package into .venv
	@cmake --build $(BUILD) --parallel $(JOBS)
	@setup/develop.sh $(VENV) $(abspath $(BUILD)/python)

demo: build ## the k-means example: its kernel, its times, a picture
	@$(BENCH_PY) examples/kmeans.py

test: build ## every test
	@setup/report.sh "$(MAKE)" test-cxx test-lit test-python test-packages docs lint

test-cxx: build ## GoogleTest through ctest
	@$(with_nvrtc) ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

test-lit: build ## lit and FileCheck
	@$(with_nvrtc) $(VENV)/bin/lit --succinct --workers=$(JOBS) $(BUILD)/test

test-python: build ## pytest and hypothesis, the examples included
	@$(PY) -m pytest -n $(PYTEST_WORKERS) --dist worksteal test

lint: build ## formatting and static checks
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@git ls-files '*.cpp' '*.h' | xargs -r $(VENV)/bin/clang-format --dry-run --Werror

tidy: build ## clang-tidy, which takes some minutes
	@setup/debian.sh clang-tidy-22
	@run-clang-tidy-22 -quiet -p $(BUILD) '/(compiler|runtime|frontend)/.*\.cpp$$'

format: $(venv_stamp) ## rewrite the sources in the house style
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .
	@git ls-files --cached --others --exclude-standard '*.cpp' '*.h' | xargs -r $(VENV)/bin/clang-format -i

docs: build ## the dialect's and the passes' pages, from the .td files
	@cmake --build $(BUILD) --target quernel-docs

bench-peers: build ## a separate .venv-bench with the peers of the benchmarks
	@setup/venv.sh .venv-bench setup/requirements-peers.txt
	@setup/develop.sh .venv-bench $(abspath $(BUILD)/python)

$(packages_stamp):
	@setup/venv.sh $(PACKAGES_VENV) setup/requirements-packages.txt
	@setup/packages.sh $(PACKAGES_VENV) $(PACKAGES_VENV)/packages
	@touch $@

test-packages: build $(packages_stamp) ## the tests of other packages, with their functions compiled
	@setup/develop.sh $(PACKAGES_VENV) $(abspath $(BUILD)/python)
	@cd test && ../$(PACKAGES_VENV)/bin/python -m packages --downloads ../$(PACKAGES_VENV)/packages

test-conformance: build ## NumPy's tests with quernel.numpy, for half an hour; ARRAY_API_TESTS=CHECKOUT adds those
	@cd test && ../$(PY) -m conformance numpy --jobs $(PYTEST_WORKERS)
	@$(if $(ARRAY_API_TESTS),cd test && ../$(PY) -m conformance array-api $(abspath $(ARRAY_API_TESTS)) --jobs $(PYTEST_WORKERS))

bench: build ## the benchmark table; its JSON and, with the peers, its picture in build/bench/
	@$(BENCH_PY) bench/run.py --json build/bench/bench.json \
	  $(if $(wildcard .venv-bench/bin/python),--picture build/bench/bench.svg)

wheel: setup ## wheels in dist/: all in one, and in dist/split the runtime and the compiler apart
	@rm -f build/wheel/quernel-*.whl dist/quernel-*.whl
	@$(PY) -m pip wheel --no-deps --no-build-isolation --wheel-dir build/wheel .
	@PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) -m auditwheel repair --wheel-dir dist build/wheel/quernel-*.whl
	@$(PY) setup/split_wheel.py dist/quernel-*.whl dist/split

asan: packages ## the runtime's tests under the sanitizers
	@cmake --preset asan && cmake --build build/asan --parallel $(JOBS)
	@ctest --test-dir build/asan --output-on-failure --no-tests=error

tsan: packages ## the runtime's tests under the thread sanitizer
	@cmake --preset tsan && cmake --build build/tsan --parallel $(JOBS)
	@# The sanitizer has no threads for a child that is forked while others run a job.
	@TSAN_OPTIONS=die_after_fork=0 ctest --test-dir build/tsan -E SurvivesAForkAmidAJob --output-on-failure --no-tests=error

clean: ## remove what was built
	rm -rf build dist demo-output

distclean: clean ## remove the virtual environments too
	rm -rf $(VENV) $(PACKAGES_VENV) .venv-bench
