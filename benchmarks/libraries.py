"""The libraries side by side: how each is set up, given inputs, told a program and read out.

A library lives in a process of its own, so its settings come from the environment and the thread
pools of two libraries never meet. `Library.program` gives a sample of a program: a function that
runs it and returns seconds.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter_ns
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from workloads.workload import SCRATCH, Array, Uncompiled, Workload

NAMES = (
    "onebuf",
    "numpy",
    "numexpr",
    "numba",
    "torch",
    "torch.compile",
    "jax.jit",
    "tinygrad",
)
"""All of them, in the order of the table's columns."""


def environment(threads: int, cache: Path | None = None) -> dict[str, str]:
    """Variables for a library's process: so many threads, and compiled code kept in ``cache``."""
    pools = ("MKL_NUM", "NUMBA_NUM", "NUMEXPR_MAX", "OMP_NUM", "OPENBLAS_NUM", "VECLIB_MAXIMUM")
    found = {
        **{f"{pool}_THREADS": str(threads) for pool in pools},
        "JAX_PLATFORMS": "cpu",
        "NPROC": str(threads),  # of jax's pool
        "DEV": "CPU",  # of tinygrad
        "NUM_CPU_THREADS": str(threads),
        "PARALLEL": "0",
    }
    if cache is not None:
        found |= {
            "BENCHMARK_CACHE": str(cache),
            "CACHEDB": str(cache / "tinygrad.db"),
            "JAX_COMPILATION_CACHE_DIR": str(cache / "jax"),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            "NUMBA_CACHE_DIR": str(cache / "numba"),
            "TORCHINDUCTOR_CACHE_DIR": str(cache / "torch"),
        }
    return found


def names_in(text: str) -> list[str]:
    """The names that a program uses, in order of appearance.

    >>> names_in("o.copy_(a + b)")
    ['o', 'a', 'b']
    """
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in nodes))


def arguments_of(text: str) -> list[str]:
    """The parameters of the function that a program defines.

    >>> arguments_of("def f(x, o):\\n    return o")
    ['x', 'o']
    """
    (function,) = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return [argument.arg for argument in function.args.args]


def function_source(name: str, arguments: Iterable[str], text: str) -> str:
    """A function whose body is a program, its last line returned.

    >>> print(function_source("f", "ab", "c = a + b\\nc * 2"))
    def f(a, b):
        c = a + b
        return c * 2
    """
    *body, last = text.splitlines()
    lines = [*body, f"return {last}"]
    return f"def {name}({', '.join(arguments)}):\n" + "\n".join(f"    {line}" for line in lines)


def sample_source(text: str, calls: int) -> str:
    """A function that runs a program ``calls`` times and returns nanoseconds for one.

    >>> print(sample_source("a + b", 200))
    def sample():
        start = clock()
        for _ in range(200):
            a + b
        return (clock() - start) / 200
    """
    body = "\n".join(f"        {line}" for line in text.splitlines())
    return (
        f"def sample():\n    start = clock()\n    for _ in range({calls}):\n{body}\n"
        f"    return (clock() - start) / {calls}"
    )


Program = tuple[Callable[[], float], Callable[[], Array]]


class Library:
    """NumPy, and what all others share with it."""

    name: ClassVar[str] = "numpy"
    package: ClassVar[str] = "numpy"
    compiler: ClassVar[tuple[str, str]] = ("", "")
    """The compiler that it calls, and the variable that may name another one."""
    is_bound_to_shapes: ClassVar[bool] = False
    """Whether a program has to be made anew for inputs of other shapes."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.scope: dict[str, Any] = {"__name__": "program", "np": np, "clock": perf_counter_ns}
        self.load()

    @classmethod
    def missing(cls) -> str:
        """Why it cannot run here, or nothing."""
        if find_spec(cls.package) is None:
            return f"{cls.package} is not installed"
        command, variable = cls.compiler
        if command and shutil.which(os.environ.get(variable, command)) is None:
            return f"{cls.name} needs {command}, which is not on the path"
        return ""

    @classmethod
    def version(cls) -> str:
        """What is installed."""
        try:
            return version(cls.package)
        except PackageNotFoundError:
            return "as in the sources"

    def load(self) -> None:
        """Import it and set it up."""

    def take(self, array: Array) -> Any:
        """The library's own array with these elements, sharing memory where it can."""
        return array

    def give(self, result: Any) -> Array:
        """The elements of a result."""
        return np.asarray(result)

    def empty(self, shape: tuple[int, ...]) -> Any:
        """Memory for float32 elements that the library may write to."""
        return self.take(np.zeros(shape, np.float32))

    def lines(self, text: str, names: list[str]) -> str:
        """The lines to run for a program; what they need is put into scope."""
        return text

    def bind(
        self, workload: Workload, inputs: Mapping[str, Array], shape: tuple[int, ...]
    ) -> list[str]:
        """Give the program its inputs and scratch memory; their names, in the program's order."""
        text = workload.programs[self.name]
        used = arguments_of(text) if "def f(" in text else names_in(text)
        known = {name: self.take(array) for name, array in inputs.items()}
        known |= {name: self.empty(shape) for name in SCRATCH if name in used}
        self.scope |= known
        return [name for name in used if name in known]

    def program(self, workload: Workload, names: list[str]) -> Program:
        """A sample of a workload, in seconds a step, and its answer."""
        lines = self.lines(workload.programs[self.name], names)
        exec(sample_source(lines, workload.calls), self.scope)
        exec(function_source("answer", (), lines), self.scope)
        sample, answer = self.scope["sample"], self.scope["answer"]
        return (lambda: sample() / workload.steps / 1e9), (lambda: self.give(answer()))

    def settings(self, workload: Workload) -> contextlib.AbstractContextManager[Any]:
        """What has to hold while a workload runs."""
        return contextlib.nullcontext()


class Onebuf(Library):
    """Buffers on the inputs' memory."""

    name = package = "onebuf"

    def load(self) -> None:
        self.onebuf = self.scope["ob"] = import_module("onebuf")

    def take(self, array: Array) -> Any:
        return self.onebuf.Buffer(array)

    def lines(self, text: str, names: list[str]) -> str:
        if not text.startswith("@ob.jit"):
            return text
        exec(text, self.scope)
        return f"f({', '.join(names)})"

    def settings(self, workload: Workload) -> contextlib.AbstractContextManager[Any]:
        options = {"cache_dir": os.environ.get("BENCHMARK_CACHE"), **workload.options}
        return self.onebuf.config(threads=self.threads, **options)  # type: ignore[no-any-return]


class Numexpr(Library):
    """An expression as text, evaluated block by block."""

    name = package = "numexpr"

    def load(self) -> None:
        self.scope["ne"] = import_module("numexpr")
        self.scope["ne"].set_num_threads(self.threads)


class Numba(Library):
    """Loops, compiled for the types of their arguments."""

    name = package = "numba"

    def load(self) -> None:
        numba = import_module("numba")
        self.scope |= {"numba": numba, "njit": numba.njit, "prange": numba.prange}
        self.scope["math"] = import_module("math")

    def lines(self, text: str, names: list[str]) -> str:
        if "BENCHMARK_CACHE" in os.environ:
            self.scope["f"] = self.imported(Path(os.environ["BENCHMARK_CACHE"]), text)
        else:
            exec(text, self.scope)
        return f"f({', '.join(names)})"

    @staticmethod
    def imported(folder: Path, text: str) -> Any:
        """The function ``f`` of a module: numba keeps on disk only what it can find there."""
        name = f"program_{crc32(text.encode()):08x}"
        head = "import math\n\nimport numba\nimport numpy as np\nfrom numba import njit, prange\n\n"
        text = head + text.replace("@njit(", "@njit(cache=True, ")
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        return import_module(name).f


class Torch(Library):
    """Operation by operation."""

    name = package = "torch"

    def load(self) -> None:
        self.torch = self.scope["torch"] = import_module("torch")
        self.torch.set_num_threads(self.threads)
        self.torch.set_grad_enabled(False)

    def take(self, array: Array) -> Any:
        return self.torch.from_numpy(array)

    def give(self, result: Any) -> Array:
        return result.numpy()  # type: ignore[no-any-return]


class TorchCompile(Torch):
    """A function, traced and compiled through C++."""

    name = "torch.compile"
    compiler = ("g++", "CXX")

    def lines(self, text: str, names: list[str]) -> str:
        exec(function_source("f", names, text), self.scope)
        self.scope["f"] = self.torch.compile(self.scope["f"])
        return f"f({', '.join(names)})"


class Jax(Library):
    """A function, traced and compiled through XLA."""

    name = "jax.jit"
    package = "jax"

    def load(self) -> None:
        self.jax = self.scope["jax"] = import_module("jax")
        self.scope["jnp"] = import_module("jax.numpy")

    def take(self, array: Array) -> Any:
        return self.scope["jnp"].asarray(array).block_until_ready()

    def lines(self, text: str, names: list[str]) -> str:
        exec(function_source("f", names, text), self.scope)
        if not isinstance(text, Uncompiled):
            self.scope["f"] = self.jax.jit(self.scope["f"])
        return f"f({', '.join(names)}).block_until_ready()"


class Tinygrad(Library):
    """A function, captured and replayed; its outputs are the same memory every time."""

    name = package = "tinygrad"
    compiler = ("clang", "CC")
    is_bound_to_shapes = True

    def load(self) -> None:
        self.tinygrad = import_module("tinygrad")
        self.scope["Tensor"] = self.tinygrad.Tensor
        self.scope["wait"] = self.tinygrad.Device["CPU"].synchronize

    def take(self, array: Array) -> Any:
        return self.tinygrad.Tensor(array).contiguous().realize()

    def give(self, result: Any) -> Array:
        return result.numpy()  # type: ignore[no-any-return]

    def lines(self, text: str, names: list[str]) -> str:
        exec(function_source("g", names, text), self.scope)
        if not isinstance(text, Uncompiled):
            self.scope["g"] = self.tinygrad.TinyJit(self.scope["g"])
        source = f"result = g({', '.join(names)})\nwait()\nresult"
        exec(function_source("f", names, source), self.scope)
        return f"f({', '.join(names)})"


LIBRARIES: dict[str, type[Library]] = {
    library.name: library
    for library in (Onebuf, Library, Numexpr, Numba, Torch, TorchCompile, Jax, Tinygrad)
}
