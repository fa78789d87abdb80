"""Runtimes: what distributed buffers are held and computed by.

`onebuf.runtimes.protocols` says what a runtime is; a module each is threads, MPI and Dask. Others
are found through the entry-point group ``onebuf.runtimes``.
"""
