"""What each operation means: functions from nodes to nodes."""

from onebuf.ops.apply import (
    SCALARS,
    Scalar,
    as_operand,
    binary,
    cast,
    constant,
    general,
    install,
    new_array,
    reduce,
    ternary_where,
    unary,
)
from onebuf.ops.contraction import matmul, take
from onebuf.ops.creation import arange, as_shape, empty, full
from onebuf.ops.movement import (
    Padding,
    concat,
    copied,
    diagonal,
    expand,
    expand_dims,
    flip,
    index,
    move,
    pad,
    permute,
    reshape,
    seen,
    shrink,
    squeeze,
    stack,
    view_of,
    windows,
)
from onebuf.ops.philox import random_words
from onebuf.ops.quiet import quiet_context, quietly
from onebuf.ops.random import Draw, bits64, integers, normal, uniform
from onebuf.ops.statistics import mean, std, var
