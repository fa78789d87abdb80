"""The suite of runtimes: what a runtime has to do, as tests that the authors of any can run.

Under a driver the tests are a class with a fixture, which needs pytest::

    from onebuf.testing.runtimes import RuntimeContract

    class TestThreads(RuntimeContract):
        @pytest.fixture(scope="class")
        @classmethod
        def runtime(cls):
            made = Threads(places=3)
            yield made
            made.close()

Under SPMD every place calls `check_runtime` with its own runtime. There is a command for that::

    mpirun -n 4 python -m onebuf.testing.runtimes mpi

NumPy is the oracle, and everything is compared to the bit. All cases are drawn from seeds, so that
every place makes the same collective calls in the same order.
"""

from onebuf.testing.runtimes.contract import RuntimeContract, check_runtime

__all__ = ["RuntimeContract", "check_runtime"]
