"""The module of examples/gpt.py, for tests: examples are programs, and no package has them."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import onebuf

FOLDER = Path(__file__).parents[1] / "examples"
SMALL = {"length": 16, "layers": 2, "width": 32, "heads": 2}
"""Sizes of a model that trains in milliseconds."""


def example() -> ModuleType:
    """The module, as the program that runs it sees it; imported once."""
    if "gpt_example_program" not in sys.modules:
        sys.path.append(str(FOLDER))  # it imports its neighbours
        spec = spec_from_file_location("gpt_example_program", FOLDER / "gpt.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["gpt_example_program"] = module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["gpt_example_program"]


def small_model(seed: int = 0, tokens: int = 17) -> Any:
    """A model whose weights are all random, biases and norms too."""
    onebuf.random.seed(seed)
    gpt = example()
    model = gpt.GPT(gpt.Sizes(tokens, **SMALL))
    for name, tensor in model.named_parameters():
        noise = onebuf.random.normal(0.0, 0.1, tensor.shape, dtype="float32")
        is_scale = "ln_" in name and name.endswith("weight")
        tensor.data[...] = noise + 1.0 if is_scale else noise
    return model
