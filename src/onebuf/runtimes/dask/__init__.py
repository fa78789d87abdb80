"""The runtime of Dask: places are workers of a cluster, and elements are results of tasks."""
