"""The examples in the docstrings of the benchmarks are right."""

import doctest
from types import ModuleType

import kernels
import libraries
import pytest
import table
from workloads import workload


@pytest.mark.parametrize("module", [kernels, libraries, table, workload], ids=lambda m: m.__name__)
def test_examples_are_right(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0
