# Everything sets itself up: each target makes .venv and installs what it needs, once.
# What is installed follows pyproject.toml; `make clean` starts afresh.
#
#   make test ARGS='-k view -x -n0'   more arguments for pytest (test, test-interop) or a benchmark
#   make test-outside ARGS='scipy:stats'   a part of it; what was run is kept in .outside
#   make soak MINUTES=60 SEED=7       how long, and with which random programs
#   make test PYTHON=python3.13       another interpreter; only asked for when .venv is made

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
PYTEST := $(BIN)/python -m pytest
# The modules of torch and jax, which are not installed for these, have no examples.
EXAMPLES := --doctest-modules --doctest-glob='*.md' README.md docs src/onebuf \
	--ignore=src/onebuf/backends/libraries/torch.py --ignore=src/onebuf/backends/libraries/jax.py
# The native core is built anew when its sources change.
NATIVE := hatch_build.py $(wildcard src/native/*)
INTEROP := tests/interop tests/backends/libraries tests/devices tests/machine \
	tests/compat/test_tinygrad_buffer.py tests/gradients/rules tests/nn tests/optim
PYTHON ?=
MINUTES ?= 5
SEED ?=
PROGRAMS ?=
ARGS ?=
# Set where `make check` has just run the examples, so that `make test` need not run them again.
CHECKED ?=

# PoCL is OpenCL on processors; with this it shows two devices, which tests and examples need.
export POCL_DEVICES := pthread pthread

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help tour test test-pure test-sanitized test-interop soak test-outside check bench bench-programs bench-peers bench-planning bench-layouts bench-on-demand bench-runtimes bench-devices bench-clients bench-gpt format clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

tour: $(VENV)/.installed-package ## show what onebuf does, in a minute
	@$(BIN)/onebuf tour

test: $(VENV)/.installed-test ## run all tests and every example in the docs
	@$(NEED_OPENCL)
	@$(NEED_VULKAN)
	@$(NEED_OPEN_MPI)
	@$(PYTEST) -m 'not interop' -n auto --dist worksteal -rs $(ARGS)
	@$(if $(CHECKED),,$(PYTEST) $(EXAMPLES))

test-pure: $(VENV)/.installed-test ## run all tests without the native core
	@$(NEED_OPENCL)
	@ONEBUF_PURE=1 $(PYTEST) -m 'not interop' -n auto --dist worksteal $(ARGS)

test-sanitized: $(VENV)/.installed-test ## run the native core's tests under AddressSanitizer
	@rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/onebuf build/sanitized/
	@$(CC) -g -O1 -fsanitize=address,undefined -fno-sanitize=alignment -fPIC -shared -DFREE_NODES=1 \
		`$(BIN)/python -c 'import numpy, sysconfig; print("-I" + sysconfig.get_path("include"), "-I" + numpy.get_include())'` \
		src/native/*.c -o build/sanitized/onebuf/_native.abi3.so
	@ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=build/sanitized \
		LD_PRELOAD="`$(CC) -print-file-name=libasan.so` `$(CC) -print-file-name=libubsan.so`" \
		$(PYTEST) $(addprefix tests/native/test_,twins.py pending.py delegates.py picks.py windows.py replays.py) $(ARGS)

test-interop: $(VENV)/.installed-interop ## run the tests against torch and jax, skipping none
	@$(NEED_OPENCL)
	@$(PYTEST) $(INTEROP) -m interop -n auto --dist worksteal -rs --junitxml=$(VENV)/interop.xml $(ARGS)
	@$(BIN)/python -c "$$COUNT_SKIPPED" $(VENV)/interop.xml

test-outside: $(VENV)/.installed-outside ## run SciPy's, scikit-learn's and NumPy's own tests on buffers
	@$(BIN)/python tools/outside/run.py $(ARGS)

soak: $(VENV)/.installed-test ## random programs next to NumPy, with errors, interrupts, threads
	@PYTHONPATH=tests $(BIN)/python -m soak --minutes $(MINUTES) \
		$(if $(SEED),--seed $(SEED)) $(if $(PROGRAMS),--programs $(PROGRAMS))

check: $(VENV)/.installed-dev ## check format, lint, types, layers and the examples in the docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports
	$(PYTEST) $(EXAMPLES)

bench: $(VENV)/.installed-interop ## measure against NumPy and torch on this machine
	@$(BIN)/python benchmarks/latency.py $(ARGS)

bench-programs: $(VENV)/.installed-package ## measure whole programs next to NumPy
	@$(BIN)/python benchmarks/programs.py $(ARGS)

bench-peers: $(VENV)/.installed-bench ## measure against seven libraries and the limits of this machine
	@$(BIN)/python benchmarks/peers.py $(ARGS)

bench-planning: $(VENV)/.installed-package ## measure what planning costs, by the size of graphs
	@$(BIN)/python benchmarks/planning.py $(ARGS)

bench-layouts: $(VENV)/.installed-test ## measure layouts next to dense buffers and SciPy
	@$(BIN)/python benchmarks/layouts.py $(ARGS)

bench-on-demand: $(VENV)/.installed-package ## measure on-demand expressions next to the same written out
	@$(BIN)/python benchmarks/on_demand.py $(ARGS)

bench-runtimes: $(VENV)/.installed-test ## measure distributed buffers next to mpi4py and dask.array
	@$(BIN)/python benchmarks/runtimes.py $(ARGS)

bench-devices: $(VENV)/.installed-test ## measure OpenCL next to pyopencl used by hand
	@$(BIN)/python benchmarks/devices.py $(ARGS)

bench-clients: $(VENV)/.installed-test ## measure SciPy and scikit-learn on buffers
	@$(BIN)/python benchmarks/clients.py $(ARGS)

bench-gpt: $(VENV)/.installed-interop ## measure training a GPT next to torch and torch.compile
	@$(BIN)/python benchmarks/gpt.py $(ARGS)

format: $(VENV)/.installed-dev ## rewrite the sources in the one format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

clean: ## remove .venv and everything that the tools left behind
	rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache
	rm -rf .mypy_cache .outside .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------------- set-up

EXTRA_package := [mpi,opencl]
EXTRA_test := [test]
EXTRA_interop := [test,interop]
EXTRA_outside := [outside]
EXTRA_dev := [dev]
EXTRA_bench := [bench]

$(VENV)/.installed-%: pyproject.toml $(NATIVE) $(VENV)/.made
	@echo "Installing onebuf$(EXTRA_$*) in $(VENV)"
	@$(PIP) install --editable '.$(EXTRA_$*)'
	@touch $@

$(VENV)/.made:
	@python=`$(FIND_PYTHON)` && { $(NEED_VENV_MODULE); } && \
		echo "Making $(VENV) with `$$python --version`" && $$python -m venv $(VENV)
	@touch $@

# Writes the first suitable interpreter, or fails and says what is needed.
define FIND_PYTHON
for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do \
	if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo $$python; exit 0; \
	fi; \
done; \
echo 'onebuf needs Python 3.11 or newer, and none of these is: $(or $(PYTHON),python3 python3.13 python3.12 python3.11).' >&2; \
echo 'Install one, or name it: make PYTHON=/path/to/python3.' >&2; \
exit 1
endef

# Debian and Ubuntu keep what `python -m venv` needs in a package of its own.
define NEED_VENV_MODULE
$$python -c 'import ensurepip, venv' 2>/dev/null || { \
	package=`$$python -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'`; \
	if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing $$package, which $$python lacks"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $$package; \
	fi; \
	$$python -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$$python cannot make virtual environments: its venv module is incomplete." >&2; \
		echo "On Debian or Ubuntu: apt-get install $$package (or python3-venv), as root." >&2; \
		false; \
	}; \
}
endef

# PoCL from pip refuses processors that are newer than it is; Debian's is newer.
define NEED_OPENCL
if ! $(BIN)/python -c 'import onebuf; onebuf.devices("OPENCL")' 2>/dev/null; then \
	if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing pocl-opencl-icd, for the tests of OPENCL"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends pocl-opencl-icd >/dev/null; \
	fi; \
	$(BIN)/python -c 'import onebuf; onebuf.devices("OPENCL")' 2>/dev/null || \
		echo "There is no OpenCL driver that works here, so the tests of OPENCL cannot pass." \
			"On Debian or Ubuntu: apt-get install pocl-opencl-icd, as root." >&2; \
fi
endef

# The tests of VULKAN need a driver; Mesa has one for processors.
VULKAN_DRIVERS := /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d
define NEED_VULKAN
if ! ls $(VULKAN_DRIVERS) 2>/dev/null | grep -q json; then \
	if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing mesa-vulkan-drivers, for the tests of VULKAN"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends libvulkan1 mesa-vulkan-drivers >/dev/null; \
	fi; \
	ls $(VULKAN_DRIVERS) 2>/dev/null | grep -q json || \
		echo "There is no Vulkan driver, so the tests of VULKAN are skipped." \
			"On Debian or Ubuntu: apt-get install mesa-vulkan-drivers, as root." >&2; \
fi
endef

# MPICH comes from pip; the tests of MPI run on Open MPI as well.
define NEED_OPEN_MPI
if ! command -v orterun >/dev/null && ! command -v prterun >/dev/null; then \
	if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing openmpi-bin, for the tests of MPI"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends openmpi-bin >/dev/null; \
	fi; \
	command -v orterun >/dev/null || \
		echo "Open MPI is not installed, so MPI is tested on MPICH alone." \
			"On Debian or Ubuntu: apt-get install openmpi-bin, as root." >&2; \
fi
endef

# pytest is content with skipped tests; here they would mean that torch or jax did not run.
define COUNT_SKIPPED
import sys
import xml.etree.ElementTree as ElementTree

suite = ElementTree.parse(sys.argv[1]).getroot().find("testsuite")
skipped = int(suite.get("skipped"))
if skipped:
    sys.exit(f"{skipped} of {suite.get('tests')} interop tests were skipped; all of them have to run")
endef
export COUNT_SKIPPED
