"""What could hang: ends of programs, forks, interrupts and signals, in processes with a limit."""

import subprocess
import sys
import textwrap

import pytest
from children import run

import onebuf

BEGIN = """
    import atexit, gc, os, signal, sys, threading, time
    import numpy as np
    import onebuf

    never = threading.Event()

    def at_exit():
        for x in asked:
            try:
                x.result()
            except onebuf.errors.OnebufError as error:
                print(type(error).__name__)

    asked = []
    atexit.register(at_exit)  # which runs after all that is registered later
    from onebuf import submit
"""


def child(program: str) -> str:
    return run(textwrap.dedent(BEGIN) + textwrap.dedent(program), timeout=60)


ENDINGS = {
    "running": "x = submit(never.wait); y = x * 2",
    "many": "x = [submit(never.wait, shape=3, dtype=float) for _ in range(1000)]",
    "a chain": """
        x = submit(never.wait)
        for _ in range(3000):
            x = submit(onebuf.add, x, 1)
    """,
    "waited for by a worker": "x = submit(never.wait); y = submit(lambda: x.result())",
    "waited for by a thread": """
        x = submit(never.wait)
        threading.Thread(target=x.result, daemon=True).start()
    """,
    "computing": """
        def work():
            x = onebuf.random.uniform(size=(700, 700))
            while True:
                (x * 2 + 1).sum(axis=0).realize()
        x = [submit(work) for _ in range(3)]
        time.sleep(0.5)
    """,
    "callbacks": "x = submit(never.wait); x.add_done_callback(print)",
    "in a cycle": "x = [submit(never.wait)]; x.append(x); del x",
    "by an exit": "x = submit(never.wait); sys.exit(0)",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_program_ends_with_tasks_that_do_not(name):
    assert child(ENDINGS[name]) == ""


def test_who_asks_at_the_end_for_what_was_dropped_is_told():
    program = """
        blocked = [submit(never.wait) for _ in range(64)]
        first = submit(np.ones, 3)
        chain = [first]
        for _ in range(3000):
            chain.append(submit(np.add, chain[-1], 1))
        asked += [first, chain[1], chain[-1], first * 2]
    """
    assert child(program).split() == ["TaskError"] * 4


def test_nothing_is_submitted_when_the_program_has_ended():
    program = """
        submit(np.ones, 3).result()
        class Late:
            def result(self):
                return submit(np.ones, 3).result()
        asked.append(Late())
    """
    assert child(program).split() == ["TaskError"]


def test_a_result_that_is_there_can_be_had_at_the_end():
    program = """
        x = submit(np.ones, 3)
        x.result()
        class Late:
            def result(self):
                print((x + 1).tolist())
        asked.append(Late())
    """
    assert child(program) == "[2.0, 2.0, 2.0]\n"


def test_an_error_is_told_at_the_end():
    program = """
        import onebuf, time
        def bad():
            raise ValueError("nobody asked")
        x = onebuf.submit(bad, shape=3, dtype=float)
        y = x * 2
        while not x.done():
            time.sleep(0.01)
        seen = onebuf.submit(bad)
        seen.exception()
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0
    assert ended.stderr.count("ValueError: nobody asked") == 1
    assert "nobody has looked at the error of the task bad" in ended.stderr
    assert "in bad" in ended.stderr
    assert "site-packages" not in ended.stderr


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="the system has no fork")
def test_a_child_is_told_that_tasks_are_not_its_own():
    program = """
        x = submit(lambda: (never.wait(), [1.0, 2.0])[1], shape=2, dtype=float)
        u = submit(lambda: (never.wait(), [1.0, 2.0])[1])
        dependent = submit(np.add, u, 1)
        ready = submit(np.ones, 2)
        failed = submit(lambda: {}["k"])
        failed.exception()
        ready.result()
        sys.stdout.flush()
        if os.fork() == 0:
            for y in (x, x * 2, u, u * 2, dependent, submit(np.add, u, 1)):
                try:
                    y.tolist()
                except onebuf.errors.TaskError as error:
                    assert "forked" in str(error)
                    print("told", end=" ")
            print((ready + submit(np.arange, 2.0)).tolist(), u.done(), u.cancel())
            try:
                failed.result()
            except KeyError:
                print("KeyError")
            sys.stdout.flush()
            os._exit(0)
        os.wait()
        never.set()
        print((x + u * 2).tolist(), dependent.tolist())
    """
    told = "told told told told told told [1.0, 2.0] False False\nKeyError\n"
    assert child(program) == told + "[3.0, 6.0] [2.0, 3.0]\n"


def test_an_interrupt_ends_the_waiting_and_nothing_else():
    program = """
        x = submit(lambda: (never.wait(), [1.0, 2.0])[1], shape=2, dtype=float)
        u = submit(lambda: (never.wait(), [1.0, 2.0])[1])
        a = onebuf.zeros(2)
        y, z, w = x * 2, u * 2, a + x
        def write():
            a[0] = 5
        for wait in (y.tolist, z.tolist, x.result, u.exception, lambda: u.shape, write):
            threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
            try:
                wait()
            except KeyboardInterrupt:
                print("interrupted", end=" ")
        never.set()
        print(a.tolist(), y.tolist(), z.tolist(), w.tolist())
        a[0] = 5
        print(a.tolist(), w.tolist())
    """
    assert child(program) == (
        "interrupted " * 6 + "[0.0, 0.0] [2.0, 4.0] [2.0, 4.0] [1.0, 2.0]\n[5.0, 0.0] [1.0, 2.0]\n"
    )


def test_a_signal_handler_may_wait_for_a_task_that_computes():
    program = """
        seen = []
        def handle(*_):
            x = submit(lambda: onebuf.full((300, 300), 2.0) * 3, shape=(300, 300), dtype=float)
            seen.append((x + 1).max().item())
            if len(seen) < 5:
                signal.setitimer(signal.ITIMER_REAL, 0.02)
        (onebuf.ones((300, 300)) * 2).sum(axis=0).realize()
        submit(np.ones, 3).result()
        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        x = onebuf.ones((1000, 1000))
        while len(seen) < 5:
            assert (x * 2 + 1).sum(axis=0).realize()[0].item() == 3000
        print(seen)
    """
    assert child(program) == "[7.0, 7.0, 7.0, 7.0, 7.0]\n"


def test_a_listener_may_wait_for_a_task_that_computes():
    program = """
        from onebuf.events import listening
        seen = []
        def listen(event):
            if not seen:
                seen.append(None)
                x = submit(lambda: onebuf.full((300, 300), 2.0) * 3)
                seen.append(x.max().item())
        x = onebuf.ones((300, 300))
        with listening(listen):
            assert (x * 2 + 1).sum(axis=0).realize()[0].item() == 900
        print(seen)
    """
    assert child(program) == "[None, 7.0]\n".replace("7.0", "6.0")


def test_one_worker_is_enough():
    program = """
        from onebuf.tasks import workers
        workers._workers[0] = workers.Workers(1)
        x = submit(np.zeros, 2)
        for _ in range(1000):
            x = submit(np.add, x, 1)
        print(x.tolist())
        def deep(level):
            return [0.0] if level == 0 else submit(deep, level - 1).result() + 1
        print(submit(deep, 50).tolist())
        y = submit(lambda: (time.sleep(0.05), np.ones(2))[1])
        z = submit(lambda a: a + 1, submit(np.add, y, 1, shape=2, dtype=float) * 2)
        print(z.tolist(), threading.active_count() <= 60)
    """
    assert child(program) == "[1000.0, 1000.0]\n[50.0]\n[5.0, 5.0] True\n"


def test_threads_end_that_have_nothing_to_do():
    program = """
        from onebuf.tasks import workers
        workers.IDLE_SECONDS = 0.05
        for _ in range(3):
            assert sum(x.sum().item() for x in [submit(np.ones, 3) for _ in range(200)]) == 600
            end = time.monotonic() + 30
            while any(t.name.startswith("onebuf-task") for t in threading.enumerate()):
                assert time.monotonic() < end
                time.sleep(0.01)
    """
    assert child(program) == ""


def test_importing_onebuf_loads_no_machinery_of_tasks():
    program = """
        found = {"asyncio", "concurrent.futures", "onebuf.kinds.future", "onebuf.tasks.task"}
        print(sorted(found & set(sys.modules)))
    """
    assert run("import sys, onebuf\n" + textwrap.dedent(program)) == "[]\n"
    assert onebuf.FutureBuffer.__name__ == "FutureBuffer"
