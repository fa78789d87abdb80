"""How all tests run: property tests draw the same cases on every run of continuous integration.

Elsewhere they draw new ones each time, which is how they find what nobody thought of.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# PoCL, which is OpenCL on processors, shows as many devices as are named here.
os.environ.setdefault("POCL_DEVICES", "pthread pthread")

# SciPy reads it once, when the first test file imports it; scikit-learn asks for exactly "1".
os.environ["SCIPY_ARRAY_API"] = "1"

# Compiled kernels of tests, and of the processes that tests start, are kept as long as they run;
# workers share those of the process that started them. Several runs in a row may share a folder:
# continuous integration runs the same tests with and without the native core, whose kernels are the
# same.
if "PYTEST_XDIST_WORKER" not in os.environ:
    shared = os.environ.get("ONEBUF_TESTS_CACHE")
    os.environ["XDG_CACHE_HOME"] = shared or tempfile.mkdtemp(prefix="onebuf-tests-")
    if not shared:
        atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the files in tests/golden anew instead of comparing with them",
    )


@pytest.fixture(autouse=True)
def _no_fallback(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which a kernel could not be made: users get their values then, we an error."""
    module = sys.modules.get("onebuf.engine.cpu.fallback")
    before = 0 if module is None else module.total
    yield
    module = sys.modules.get("onebuf.engine.cpu.fallback")
    if module is not None and request.node.get_closest_marker("falls_back") is None:
        assert module.total == before, f"{module.last} was interpreted; its kernel is at fault"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files that are about torch and jax, where these are not asked for.

    Importing the two takes seconds, and what they leave running makes a fork unsafe.
    """
    if config.option.markexpr != "not interop" or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    return "\npytestmark = pytest.mark.interop\n" in text or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of VULKAN where no driver is; continuous integration has to have one.

    It is the one thing that tests need and that cannot be had from PyPI.
    """
    vulkan = [item for item in items if _is_of_vulkan(item)]
    if not vulkan or os.environ.get("CI") or _has_vulkan():
        return
    reason = "no Vulkan driver; on Debian or Ubuntu, as root: apt-get install mesa-vulkan-drivers"
    for item in vulkan:
        item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """Let the collector of garbage leave alone what is there before the first test.

    These are a million objects, which every `gc.collect` of a test would go over.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def vulkan() -> Any:
    """The driver of VULKAN."""
    from onebuf.machine import device

    return device("VULKAN").driver


def _is_of_vulkan(item: pytest.Item) -> bool:
    """Whether a test needs VULKAN: by the folder or file, by a parameter, or by the fixture."""
    if "vulkan" in item.path.parts or item.path.name == "test_vulkan.py":
        return True
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if any(isinstance(one, str) and one == "VULKAN" for one in given):
        return True
    return "vulkan" in getattr(item, "fixturenames", ())


def _has_vulkan() -> bool:
    """Whether there is a driver, found out by a process of its own: some drivers end theirs."""
    program = "import onebuf; onebuf.devices('VULKAN')"
    return not subprocess.run([sys.executable, "-c", program], capture_output=True).returncode
