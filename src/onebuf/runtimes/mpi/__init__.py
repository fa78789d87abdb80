"""The runtime of MPI: places are processes, and each holds its elements in memory that all read."""
