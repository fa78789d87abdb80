"""Symmetry as a value: which elements of a tensor are known from others.

A tensor has a symmetry if exchanging its indices changes its elements by a sign or a conjugation at
most. Symmetries are permutations of the axes with such a factor, and form a group. They are
immutable, hashable and pure: they know neither extents nor memory.
"""

from onebuf.symmetry.families import Antisymmetric, Hermitian, Symmetric
from onebuf.symmetry.group import Group
from onebuf.symmetry.operation import Operation
from onebuf.symmetry.permutation import Permutation

__all__ = ["Antisymmetric", "Group", "Hermitian", "Operation", "Permutation", "Symmetric"]
