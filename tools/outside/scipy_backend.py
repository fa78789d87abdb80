"""A pytest plugin: SciPy's fixture ``xp`` gives NumPy, as the control, and onebuf; no others.

SciPy's conftest asks for the libraries that it knows by importing them. They are hidden while it
is imported, and the fixture is made again with our own list of namespaces.
"""

from __future__ import annotations

import importlib
import os
import sys

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest

import onebuf

HIDDEN = ("array_api_strict", "torch", "cupy", "jax", "jax.numpy", "dask", "dask.array")

_before = {name: sys.modules.get(name) for name in HIDDEN}
sys.modules.update(dict.fromkeys(HIDDEN))  # None in this table makes an import fail
conftest = importlib.import_module("scipy.conftest")
for _name, _module in _before.items():
    if _module is None:
        del sys.modules[_name]
    else:
        sys.modules[_name] = _module

conftest.xp_known_backends.add("onebuf")
conftest.xp = pytest.fixture(
    params=[
        pytest.param(np, id="numpy", marks=pytest.mark.array_api_backends),
        pytest.param(onebuf, id="onebuf", marks=pytest.mark.array_api_backends),
    ]
)(conftest.xp.__wrapped__)
