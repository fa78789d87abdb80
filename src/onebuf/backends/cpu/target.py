"""Targets: the processor that code is generated for, and LLVM's code generator for it.

A target is plain data: LLVM's triple, a CPU name and its features. The host is one; tests use
others, such as the baseline of the host's architecture, or another architecture.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

OPT_LEVEL = 1
"""LLVM's code generation level. Higher ones take longer, and kernels are vector code already."""
RELOCATION = "pic"
# JITLink allocates sections close together and calls far functions through stubs, so that the small
# code model works. It does not support Windows well: there, LLVM's defaults for JITs are used.
JIT_LINK = sys.platform != "win32"
CODE_MODEL = "small" if JIT_LINK else "jitdefault"
VERSIONS = f"llvm {llvm.llvm_version_info} llvmlite {llvmlite.__version__}"
OPTIONS = f"opt {OPT_LEVEL} {RELOCATION} {CODE_MODEL}"


@dataclass(frozen=True, slots=True)
class Target:
    """A processor, as LLVM names it.

    >>> Target("x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma").vector_nbytes
    32
    """

    triple: str
    cpu: str
    features: str = ""

    @property
    def architecture(self) -> str:
        """The first part of the triple: ``x86_64``, ``aarch64``."""
        name = self.triple.partition("-")[0]
        return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)

    @property
    def vector_nbytes(self) -> int:
        """The bytes of a SIMD vector of the width that suits this processor."""
        features = self.features.split(",")
        if "+avx512f" in features:
            return 64
        return 32 if "+avx2" in features else 16

    @property
    def data_layout(self) -> str:
        """LLVM's data layout of the target."""
        return str(machine(self).target_data)

    def baseline(self) -> Target:
        """The most basic processor of this architecture."""
        return Target(self.triple, "x86-64" if self.architecture == "x86_64" else "generic")

    def header(self) -> str:
        """The beginning of a module, without a newline, so that line numbers stay."""
        return f'target datalayout = "{self.data_layout}" target triple = "{self.triple}" '


INEXACT = ("avx512bf16", "avxneconvert")
"""Features that are not used: they convert to bfloat16, and flush subnormals to zero."""


@cache
def host() -> Target:
    """The processor that this process runs on, with all of its exact features."""
    known = llvm.get_host_cpu_features()
    for name in INEXACT:
        if known.get(name):
            known[name] = False
    features = known.flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


@cache
def machine(target: Target) -> Any:
    """LLVM's code generator for ``target``, cached."""
    if target.triple == llvm.get_process_triple():
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=OPT_LEVEL,
        reloc=RELOCATION,
        codemodel=CODE_MODEL,
        jit=True,
    )
