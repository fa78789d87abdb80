"""Functions of two complex operands a + bj and c + dj.

Products and quotients with a part that is not finite are the implementation's own, unless every
part is NaN.
"""

from __future__ import annotations

from array_api.special_values.rows import rows

ROWS = rows("""
add
    (some, some), (some, some) -> a+c, b+d
divide
    (nan, nan), (nan, nan) -> nan, nan
equal
    (some, some), (some, some) -> a=c and b=d
multiply
    (nan, nan), (nan, nan) -> nan, nan
    (few, few), (few, few) -> ac-bd, bc+ad
not_equal
    (some, some), (some, some) -> a!=c or b!=d
pow
    (nan, nan), (nan, nan) -> nan, nan
subtract
    (some, some), (some, some) -> a-c, b-d
""")
