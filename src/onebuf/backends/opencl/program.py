"""Programs: OpenCL C, compiled once for each device."""

from __future__ import annotations

import threading
from time import perf_counter
from typing import Any

from onebuf.backends.opencl.package import cl
from onebuf.errors import CompileError
from onebuf.events import Compiled, listeners, tell

CORRECT_DIVISION = 1 << 7
"""CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, a bit of a device's single_fp_config."""


class Programs:
    """The programs of one device, which all of its queues share."""

    def __init__(self, context: Any, device: Any) -> None:
        self._context = context
        self._device = device
        self._programs: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._options = ["-w"]
        if device.single_fp_config & CORRECT_DIVISION:
            self._options.append("-cl-fp32-correctly-rounded-divide-sqrt")

    def __len__(self) -> int:
        return len(self._programs)

    def kernel(self, text: str, name: str) -> Any:
        """A new kernel object, which has arguments of its own."""
        with self._lock:
            program = self._programs.get(text)
            if program is None:
                program = self._programs[text] = self._compiled(text)
        return cl.Kernel(program, name)

    def _compiled(self, text: str) -> Any:
        start = perf_counter()
        try:
            program = cl.Program(self._context, text).build(self._options, [self._device])
        except cl.Error as error:
            raise CompileError(
                f"{self._device.name.strip()} refuses a kernel, which is a mistake in onebuf; "
                f"please report it with this text:\n{error}\n{text}"
            ) from None
        if listeners():
            tell(Compiled("opencl", perf_counter() - start, False))
        return program
