# The commands of the project; `make help` lists them. Everything is built by CMake (CMakePresets.json).
SHELL := /bin/bash
# An older release's cmake may be replaced by one in .venv (scripts/setup).
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTHON := $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
JOBS ?= $(shell nproc)
MINUTES ?= 5
RESULTS := build/results

.PHONY: build demo test bench lint format fuzz sanitize-full clean help
.DEFAULT_GOAL := build

build: build/build.ninja ## build everything into build/, programs in build/bin (default)
	@cmake --build build -j $(JOBS)

# Each preset has its folder: build (release), build-asan, build-clang, build-coverage,
# build-fuzz, build-sanitize.
build/build.ninja: CMakePresets.json
	@cmake --preset release
build-%/build.ninja: CMakePresets.json
	@cmake --preset $*

demo: ## from the QKV description to a verified attention kernel
	@scripts/setup --minimal
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build -j $(JOBS) --target act
	@scripts/demo

# All parts run even when one fails; the last line adds them up.
test: ## every test: release build, Python tests, and the C++ tests under the sanitizers
	@scripts/setup
	@rm -rf $(RESULTS)
	@$(MAKE) --no-print-directory run-tests

.PHONY: run-tests test-release test-python test-asan test-bytes
run-tests:
	@$(MAKE) --no-print-directory -k test-release test-python test-asan test-bytes; status=$$?; \
	  $(PYTHON) tools/run_tests.py --total $(RESULTS) && exit $$status
test-release: build/build.ninja
	@cmake --preset release -DACT_REQUIRE_TESTS=ON > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build build -j $(JOBS) -- -k 0
	@echo "== C++ tests, release"
	@$(PYTHON) tools/run_tests.py --build build --keep $(RESULTS)/1-release.counts
test-python:
	@echo "== Python tests"
	@$(PYTHON) tools/run_tests.py --pytest --keep $(RESULTS)/2-python.counts
test-asan: build-asan/build.ninja
	@cmake --build build-asan -j $(JOBS) -- -k 0
	@echo "== C++ tests, address and undefined-behaviour sanitizers"
	@$(PYTHON) tools/run_tests.py --build build-asan --keep $(RESULTS)/3-asan.counts

# clang's build is there for its bytes (and its warnings); without clang the comparison says so.
test-bytes:
	@if command -v clang++-19 > /dev/null; then \
	  $(MAKE) --no-print-directory build-clang/build.ninja && cmake --build build-clang -j $(JOBS) --target act; fi
	@echo "== the same bytes from every build"
	@$(PYTHON) tools/same_bytes.py build build-asan build-clang --keep $(RESULTS)/4-bytes.counts

bench: build ## run the benchmarks; a missed row is an error
	@status=0; for program in build/bin/bench_*; do \
	  [ -x $$program ] || continue; echo "== $$program"; $$program || status=1; done; exit $$status

lint: ## format, clang-tidy on what changed, layers, file lengths (ALL=1: clang-tidy on everything)
	@$(PYTHON) tools/lint.py $(if $(ALL),--all)

format: ## format every C++ file in place
	@git ls-files -co --exclude-standard '*.cc' '*.h' | xargs -r clang-format-19 -i

fuzz: build-fuzz/build.ninja ## run the fuzz targets for MINUTES minutes in all (default 5)
	@cmake --build build-fuzz -j $(JOBS)
	@tools/fuzz $(MINUTES)

sanitize-full: build-sanitize/build.ninja ## the C++ tests under every check of the two sanitizers (slow build)
	@cmake --build build-sanitize -j $(JOBS)
	@$(PYTHON) tools/run_tests.py --build build-sanitize

clean: ## remove the build trees (not .venv)
	@rm -rf build build-asan build-clang build-coverage build-fuzz build-sanitize

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile
