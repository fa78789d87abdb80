"""`scipy.cluster`: vector quantisation and hierarchies."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy.cluster import hierarchy, vq

_DRAW = np.random.default_rng(19)
POINTS = np.concatenate([_DRAW.normal(size=(8, 2)), _DRAW.normal(5.0, 1.0, size=(7, 2))])
CENTRES = [[0.0, 0.0], [5.0, 5.0]]
TREE = hierarchy.linkage(POINTS, "average")
FLAT = hierarchy.fcluster(TREE, 2, "maxclust").astype(np.int32)
MATLAB_TREE = hierarchy.to_mlab_linkage(TREE)

LINKAGES = ("average", "centroid", "complete", "median", "single", "ward", "weighted")
DISTANCES = hierarchy.distance.pdist(POINTS)


def linked(name: str) -> Case:
    """A hierarchy from points and one from distances."""

    def case(a: Maker) -> list[object]:
        function = getattr(hierarchy, name)
        return [function(a(POINTS)), function(a(DISTANCES))]

    return case


def nested(node: hierarchy.ClusterNode) -> tuple[object, ...]:
    """A tree as tuples."""
    if node.is_leaf():
        return (node.id,)
    return (node.id, nested(node.get_left()), nested(node.get_right()))


CASES: dict[str, Case] = {f"cluster.hierarchy.{name}": linked(name) for name in LINKAGES}
CASES |= {
    "cluster.hierarchy.linkage": lambda a: [
        hierarchy.linkage(a(POINTS), "average", metric="cityblock", optimal_ordering=True),
        hierarchy.linkage(a(POINTS), "ward"),
    ],
    "cluster.hierarchy.cophenet": lambda a: [
        hierarchy.cophenet(a(TREE)),
        hierarchy.cophenet(a(TREE), a(DISTANCES)),
    ],
    "cluster.hierarchy.correspond": lambda a: hierarchy.correspond(a(TREE), a(DISTANCES)),
    "cluster.hierarchy.dendrogram": lambda a: hierarchy.dendrogram(a(TREE), no_plot=True)["leaves"],
    "cluster.hierarchy.fcluster": lambda a: [
        hierarchy.fcluster(a(TREE), t, criterion)
        for criterion, t in (("inconsistent", 1.0), ("distance", 3.0), ("maxclust", 3))
    ],
    "cluster.hierarchy.fclusterdata": lambda a: hierarchy.fclusterdata(
        a(POINTS), 2, criterion="maxclust"
    ),
    "cluster.hierarchy.from_mlab_linkage": lambda a: hierarchy.from_mlab_linkage(a(MATLAB_TREE)),
    "cluster.hierarchy.to_mlab_linkage": lambda a: hierarchy.to_mlab_linkage(a(TREE)),
    "cluster.hierarchy.inconsistent": lambda a: hierarchy.inconsistent(a(TREE), 3),
    "cluster.hierarchy.is_isomorphic": lambda a: [
        hierarchy.is_isomorphic(a(FLAT), a(3 - FLAT)),
        hierarchy.is_isomorphic(a(FLAT), a(np.arange(len(FLAT)))),
    ],
    "cluster.hierarchy.is_monotonic": lambda a: hierarchy.is_monotonic(a(TREE)),
    "cluster.hierarchy.is_valid_im": lambda a: [
        hierarchy.is_valid_im(hierarchy.inconsistent(a(TREE))),
        hierarchy.is_valid_im(a([[-1.0, 0.0, 1.0, 0.0]])),
    ],
    "cluster.hierarchy.is_valid_linkage": lambda a: [
        hierarchy.is_valid_linkage(a(TREE)),
        hierarchy.is_valid_linkage(a([[-1.0, 0.0, 1.0, 2.0]])),
    ],
    "cluster.hierarchy.leaders": lambda a: hierarchy.leaders(a(TREE), a(FLAT)),
    "cluster.hierarchy.leaves_list": lambda a: hierarchy.leaves_list(a(TREE)),
    "cluster.hierarchy.maxRstat": lambda a: hierarchy.maxRstat(
        a(TREE), hierarchy.inconsistent(a(TREE)), 1
    ),
    "cluster.hierarchy.maxdists": lambda a: hierarchy.maxdists(a(TREE)),
    "cluster.hierarchy.maxinconsts": lambda a: hierarchy.maxinconsts(
        a(TREE), hierarchy.inconsistent(a(TREE))
    ),
    "cluster.hierarchy.num_obs_linkage": lambda a: hierarchy.num_obs_linkage(a(TREE)),
    "cluster.hierarchy.optimal_leaf_ordering": lambda a: hierarchy.optimal_leaf_ordering(
        a(TREE), a(DISTANCES)
    ),
    "cluster.hierarchy.to_tree": lambda a: nested(hierarchy.to_tree(a(TREE))),
    "cluster.vq.kmeans": lambda a: [
        vq.kmeans(a(POINTS), a(CENTRES)),
        vq.kmeans(a(POINTS), 2, rng=np.random.default_rng(1)),
    ],
    "cluster.vq.kmeans2": lambda a: [
        vq.kmeans2(a(POINTS), a(CENTRES), minit="matrix"),
        vq.kmeans2(a(POINTS), 2, minit="++", rng=np.random.default_rng(1)),
        vq.kmeans2(a(POINTS), 2, minit="points", rng=np.random.default_rng(1)),
        vq.kmeans2(a(POINTS), 2, minit="random", rng=np.random.default_rng(1)),
    ],
    "cluster.vq.vq": lambda a: [
        vq.vq(a(POINTS), a(CENTRES)),
        vq.vq(a(POINTS, "float32"), a(CENTRES, "float32")),
    ],
    "cluster.vq.whiten": lambda a: [vq.whiten(a(POINTS)), vq.whiten(a(POINTS, "float32"))],
}
