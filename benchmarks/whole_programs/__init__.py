"""Whole programs, as people write them for NumPy: each gets the module and its data."""

from whole_programs.large import LARGE
from whole_programs.program import Program, distance, on_host
from whole_programs.small import SMALL

PROGRAMS: dict[str, Program] = SMALL | LARGE
"""Every program by name."""

__all__ = ["LARGE", "PROGRAMS", "SMALL", "Program", "distance", "on_host"]
