"""`scipy.ndimage`: filters, shapes, measures and resampling of images."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy import ndimage

_DRAW = np.random.default_rng(11)
IMAGE = _DRAW.normal(size=(7, 8))
BLOBS = np.array(
    [
        [0, 1, 1, 0, 0, 0],
        [0, 1, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 1],
        [1, 1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0, 1],
        [1, 1, 1, 0, 0, 1],
    ]
)
PARTS = np.array(
    [
        [0, 1, 1, 0, 0, 0],
        [0, 1, 0, 0, 2, 2],
        [0, 0, 0, 0, 2, 2],
        [3, 3, 3, 0, 0, 0],
        [3, 0, 3, 0, 0, 4],
        [3, 3, 3, 0, 0, 4],
    ]
)
HEIGHTS = IMAGE[:6, :6]
KERNEL = [[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.5]]
CROSS = [[False, True, False], [True, True, True], [False, True, False]]
WEIGHTS = [1.0, 2.0, 0.5]
EVERY = [1, 2, 3, 4]

FILTERS: dict[str, tuple[object, ...]] = {
    "gaussian_filter": (1.2,),
    "gaussian_filter1d": (1.2,),
    "gaussian_gradient_magnitude": (1.0,),
    "gaussian_laplace": (1.0,),
    "laplace": (),
    "maximum_filter": (3,),
    "maximum_filter1d": (3,),
    "median_filter": (3,),
    "minimum_filter": (3,),
    "minimum_filter1d": (3,),
    "morphological_gradient": (3,),
    "morphological_laplace": (3,),
    "percentile_filter": (30, 3),
    "prewitt": (),
    "rank_filter": (2, 3),
    "sobel": (),
    "uniform_filter": (3,),
    "uniform_filter1d": (3,),
    "black_tophat": (3,),
    "white_tophat": (3,),
    "grey_closing": (3,),
    "grey_dilation": (3,),
    "grey_erosion": (3,),
    "grey_opening": (3,),
    "spline_filter": (3,),
    "spline_filter1d": (3,),
    "rotate": (30.0,),
    "shift": ((0.5, -1.25),),
    "zoom": (1.5,),
}
"""Filters of an image, and their further arguments."""

BINARY = (
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
)
MEASURES = (
    "maximum",
    "mean",
    "median",
    "minimum",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
)
PLACES = ("center_of_mass", "maximum_position", "minimum_position")
FOURIER = {
    "fourier_ellipsoid": 1.5,
    "fourier_gaussian": 1.5,
    "fourier_shift": (0.5, 1.0),
    "fourier_uniform": 2.0,
}
DISTANCES = ("distance_transform_bf", "distance_transform_cdt", "distance_transform_edt")


def filtered(name: str) -> Case:
    """An image of doubles, and one of singles."""

    def case(a: Maker) -> list[object]:
        function, more = getattr(ndimage, name), FILTERS[name]
        return [function(a(IMAGE), *more), function(a(IMAGE, "float32"), *more)]

    return case


def shaped(name: str) -> Case:
    """A mask, and a mask with a structure."""

    def case(a: Maker) -> list[object]:
        function = getattr(ndimage, name)
        return [function(a(BLOBS)), function(a(BLOBS, bool), a(CROSS))]

    return case


def measured(name: str) -> Case:
    """All of an image, one part, and every part."""

    def case(a: Maker) -> list[object]:
        function = getattr(ndimage, name)
        image, parts = a(HEIGHTS), a(PARTS)
        return [function(image), function(image, parts, 2), function(image, parts, a(EVERY))]

    return case


def placed(name: str) -> Case:
    """Where something is in all of an image, in one part, and in every part."""

    def case(a: Maker) -> list[object]:
        function = getattr(ndimage, name)
        image, parts = a(np.abs(HEIGHTS)), a(PARTS)
        return [function(image), function(image, parts, 2), function(image, parts, a(EVERY))]

    return case


def transformed(name: str) -> Case:
    """The transform of an image."""
    return lambda a: getattr(ndimage, name)(a(IMAGE + 0j), FOURIER[name])


def spread(name: str) -> Case:
    """Distances, with the places that they are distances to."""

    def case(a: Maker) -> list[object]:
        function = getattr(ndimage, name)
        return [function(a(BLOBS)), function(a(BLOBS), return_indices=True)]

    return case


CASES: dict[str, Case] = {
    f"ndimage.{name}": build(name)
    for build, names in (
        (filtered, FILTERS),
        (shaped, BINARY),
        (measured, MEASURES),
        (placed, PLACES),
        (transformed, FOURIER),
        (spread, DISTANCES),
    )
    for name in names
}

CASES |= {
    "ndimage.affine_transform": lambda a: ndimage.affine_transform(
        a(IMAGE), a([[0.9, 0.1], [-0.2, 1.1]]), offset=a([0.5, -0.25])
    ),
    "ndimage.binary_propagation": lambda a: ndimage.binary_propagation(
        a(PARTS == 2), mask=a(BLOBS, bool)
    ),
    "ndimage.convolve": lambda a: ndimage.convolve(a(IMAGE), a(KERNEL), mode="nearest"),
    "ndimage.convolve1d": lambda a: ndimage.convolve1d(a(IMAGE), a(WEIGHTS), axis=0),
    "ndimage.correlate": lambda a: ndimage.correlate(a(IMAGE), a(KERNEL), mode="wrap"),
    "ndimage.correlate1d": lambda a: ndimage.correlate1d(a(IMAGE), a(WEIGHTS)),
    "ndimage.extrema": lambda a: ndimage.extrema(a(HEIGHTS), a(PARTS), a(EVERY)),
    "ndimage.find_objects": lambda a: ndimage.find_objects(a(PARTS)),
    "ndimage.generic_filter": lambda a: ndimage.generic_filter(a(IMAGE), np.ptp, 3),
    "ndimage.generic_filter1d": lambda a: ndimage.generic_filter1d(a(IMAGE), _twice, 3),
    "ndimage.generic_gradient_magnitude": lambda a: ndimage.generic_gradient_magnitude(
        a(IMAGE), ndimage.sobel
    ),
    "ndimage.generic_laplace": lambda a: ndimage.generic_laplace(a(IMAGE), _second),
    "ndimage.geometric_transform": lambda a: ndimage.geometric_transform(
        a(IMAGE), lambda place: (place[0] - 0.5, place[1] * 0.9)
    ),
    "ndimage.histogram": lambda a: [
        ndimage.histogram(a(HEIGHTS), -2.0, 2.0, 4),
        ndimage.histogram(a(HEIGHTS), -2.0, 2.0, 4, a(PARTS), 3),
    ],
    "ndimage.iterate_structure": lambda a: [
        ndimage.iterate_structure(a(CROSS), 2),
        ndimage.iterate_structure(a(CROSS), 2, 1)[0],
    ],
    "ndimage.label": lambda a: [
        ndimage.label(a(BLOBS)),
        ndimage.label(a(BLOBS), structure=a(np.ones((3, 3), int))),
    ],
    "ndimage.labeled_comprehension": lambda a: ndimage.labeled_comprehension(
        a(HEIGHTS), a(PARTS), a(EVERY), np.ptp, float, 0.0
    ),
    "ndimage.map_coordinates": lambda a: [
        ndimage.map_coordinates(a(IMAGE), a([[0.5, 2.0, 4.25], [1.5, 3.0, 6.5]])),
        ndimage.map_coordinates(a(IMAGE), a([[0.5, 2.0], [1.5, 3.0]]), order=1),
    ],
    "ndimage.value_indices": lambda a: ndimage.value_indices(a(PARTS), ignore_value=0),
    "ndimage.vectorized_filter": lambda a: ndimage.vectorized_filter(a(IMAGE), a.xp.mean, size=3),
    "ndimage.watershed_ift": lambda a: ndimage.watershed_ift(
        a(BLOBS, "uint8"), a([[1] + [0] * 5] + [[0] * 6] * 4 + [[0] * 5 + [2]])
    ),
}


def _twice(line: object, out: object) -> None:
    """The sum of neighbours, for a filter made of a Python function."""
    out[...] = line[:-2] + line[2:]  # type: ignore[index]


def _second(image: object, axis: int, output: object, mode: str, cval: float) -> object:
    """A second derivative, for a filter made of a Python function."""
    return ndimage.correlate1d(image, [1.0, -2.0, 1.0], axis, output, mode, cval, 0)
