# SPDX-License-Identifier: Apache-2.0
#
# A thin front: each target is a few commands of CMake or one script. Presets build into
# build/<preset>; programs lie in build/<preset>/bin.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
DATA ?= ../shared/data

# Read by cmake --build and ctest themselves.
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

# $(call build,PRESET[,TARGET])
build = cmake --preset $(1) && cmake --build build/$(1)$(if $(2), --target $(2))

.DEFAULT_GOAL := help
.PHONY: help deps demo check bench evaluate constants fuzz format install clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-16s%s\n", $$1, $$2}'
	@echo 'Variables: JOBS=$(JOBS) PREFIX=$(PREFIX) FUZZ_SECONDS=$(FUZZ_SECONDS) DATA=$(DATA)'

deps: ## install missing packages (Debian 12 and 13, Ubuntu 24.04)
	tools/install-deps.sh

demo: deps ## build a release and show what Horus does
	$(call build,release,horus)
	tools/demo.sh build/release/bin/horus

check: deps ## build with gcc in debug mode and run all tests
	$(call build,dev)
	ctest --test-dir build/dev --output-on-failure

bench: deps ## build a release and run all benchmarks
	$(call build,release)
	set -e; for program in build/release/bin/*_bench; do echo "== $$program"; "$$program"; done

evaluate: deps ## build a release and judge predictions on the measured data in DATA
	$(call build,release,horus)
	tools/evaluate.py --horus build/release/bin/horus --data '$(DATA)' --out build/evaluate \
	  --tables docs/prediction-tables.md

# Benchmarks that feed themselves: in others an input pipeline of unknown rate is part of the step.
constants: deps ## fit the constants that ship to the permissive benchmarks in DATA
	$(call build,release,horus)
	build/release/bin/horus train --shipped '$(DATA)/pytorch_gpu_benchmark' '$(DATA)/timm' \
	  -o data/constants/shipped.json

fuzz: ## build the fuzz targets with clang and run each for FUZZ_SECONDS
	tools/install-deps.sh --ci
	$(call build,fuzz)
	tools/fuzz.sh $(FUZZ_SECONDS)

format: ## format all C++ files in place
	tools/format.sh

install: deps ## build a release and install program and library under PREFIX (DESTDIR is honoured)
	$(call build,release,horus)
	cmake --install build/release --prefix '$(PREFIX)' $(if $(COMPONENT),--component '$(COMPONENT)')

clean: ## remove everything that was built
	cmake -E rm -rf build
