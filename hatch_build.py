"""Builds the native core (src/native) where a compiler is at hand.

``ONEBUF_NATIVE`` says what to do: ``1`` builds it or fails, ``0`` leaves it out, ``auto`` (the
default) builds it if that works. With it, a wheel is for this platform and the stable ABI of
CPython 3.11 (cp311-abi3); without it, the wheel is for every platform. Installs in place get the
extension next to the sources.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CHOICES = ("auto", "1", "0")
EXTENSION = "onebuf._native"


class NativeCore(BuildHookInterface):
    """The extension module as part of a wheel, or of an install in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the extension, and say in the wheel's name whether it is there."""
        choice = os.environ.get("ONEBUF_NATIVE", "auto")
        if choice not in CHOICES:
            raise SystemExit(f"ONEBUF_NATIVE needs one of {', '.join(CHOICES)}, got {choice!r}")
        target = Path(self.root, "src", "onebuf", f"_native{_suffix()}")
        for old in target.parent.glob("_native.*"):
            old.unlink()  # of another platform, or from when it was wanted
        if choice == "0" or (choice == "auto" and not _can_load()):
            return
        try:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy2(_build(Path(self.root), Path(folder)), target)
        except Exception as error:
            if choice == "1":
                raise
            self.app.display_warning(
                f"onebuf is installed without its native core, which small operations are faster "
                f"with, because building it failed: {error}"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{_platform()}"
        build_data["force_include"][str(target)] = f"onebuf/{target.name}"


def _can_load() -> bool:
    """Whether this interpreter has the stable ABI that the extension is built for."""
    is_cpython = sys.implementation.name == "cpython"
    return is_cpython and not sysconfig.get_config_var("Py_GIL_DISABLED")


def _suffix() -> str:
    return ".pyd" if sys.platform == "win32" else ".abi3.so"


def _platform() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _build(root: Path, folder: Path) -> Path:
    """The extension, built in ``folder``."""
    import numpy
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    extension = Extension(
        EXTENSION,
        sorted(str(path) for path in (root / "src" / "native").glob("*.c")),
        include_dirs=[numpy.get_include()],
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        extra_compile_args=[]
        if sys.platform == "win32"
        else ["-O2", "-fno-strict-aliasing", "-ffp-contract=off"],
        py_limited_api=True,
    )
    command = build_ext(Distribution({"name": "onebuf", "ext_modules": [extension]}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "objects")
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(EXTENSION))
