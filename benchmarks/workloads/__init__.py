"""The workloads, in the order in which they are measured."""

from workloads.chains import CHAINS
from workloads.folds import FOLDS
from workloads.moves import MOVES
from workloads.products import PRODUCTS
from workloads.small import BEFORE, COMPILED, SMALL
from workloads.workload import Workload, distance

WORKLOADS: dict[str, Workload] = {
    workload.name: workload for workload in [*CHAINS, *FOLDS, *MOVES, *PRODUCTS, *SMALL]
}

__all__ = ["BEFORE", "COMPILED", "WORKLOADS", "Workload", "distance"]
