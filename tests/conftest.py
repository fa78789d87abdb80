"""How all tests run: property tests draw the same cases on every run of continuous integration.

Elsewhere they draw new ones each time, which is how they find what nobody thought of.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

# SciPy reads it once, when the first test file imports it; scikit-learn asks for exactly "1".
os.environ["SCIPY_ARRAY_API"] = "1"

# Compiled kernels of tests, and of the processes that tests start, are kept as long as they run.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="onebuf-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")
