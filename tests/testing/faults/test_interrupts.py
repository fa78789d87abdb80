"""Interrupts at every instant: each comes once, also while garbage is collected."""

import children
import pytest

from onebuf.testing.faults.interrupts import instants


def test_each_instant_is_interrupted_once_and_the_last_block_ends_by_itself():
    ended = []
    for interrupt in instants(KeyboardInterrupt):
        with interrupt:
            len("a")
            ended.append(bool(interrupt))
    assert ended == [False] * len(ended)
    assert ended


def test_another_error_leaves_the_block():
    with pytest.raises(ZeroDivisionError), next(instants(KeyboardInterrupt, first=1000)):
        raise ZeroDivisionError


def test_an_interrupt_in_a_finaliser_that_a_call_collects_leaves_the_process_whole():
    program = """
        import gc, sys
        from onebuf.testing.faults.interrupts import instants

        class Cycle:
            def __init__(self):
                self.me = self
            def __del__(self):
                str(1)

        def make():
            Cycle()

        def work():
            for _ in range(6):
                make()

        sys.unraisablehook = lambda *_: None
        gc.set_threshold(2)
        came = 0
        for interrupt in instants(KeyboardInterrupt):
            with interrupt:
                work()
            came += bool(interrupt)
        print(came)
    """
    assert int(children.run(program)) > 5
