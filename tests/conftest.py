"""How all tests run: property tests draw the same cases on every run of continuous integration.

Elsewhere they draw new ones each time, which is how they find what nobody thought of.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# PoCL, which is OpenCL on processors, shows as many devices as are named here.
os.environ.setdefault("POCL_DEVICES", "pthread pthread")

# SciPy reads it once, when the first test file imports it; scikit-learn asks for exactly "1".
os.environ["SCIPY_ARRAY_API"] = "1"

# Compiled kernels of tests, and of the processes that tests start, are kept as long as they run;
# workers share those of the process that started them.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="onebuf-tests-")
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
    module = sys.modules.get("onebuf.engine.fallback")
    before = 0 if module is None else module.total
    yield
    module = sys.modules.get("onebuf.engine.fallback")
    if module is not None and request.node.get_closest_marker("falls_back") is None:
        assert module.total == before, f"{module.last} was interpreted; its kernel is at fault"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests of VULKAN out where no driver is; continuous integration has to have one."""
    vulkan = [item for item in items if "vulkan" in item.path.name or "vulkan" in item.path.parts]
    if not vulkan or os.environ.get("CI") or _has_vulkan():
        return
    config.hook.pytest_deselected(items=vulkan)
    left = set(vulkan)
    items[:] = [item for item in items if item not in left]


def _has_vulkan() -> bool:
    """Whether there is a driver, found out by a process of its own: some drivers end theirs."""
    program = "import onebuf; onebuf.devices('VULKAN')"
    return not subprocess.run([sys.executable, "-c", program], capture_output=True).returncode
