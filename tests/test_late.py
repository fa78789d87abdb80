"""Late imports: code that runs in the middle of one never sees half a module."""

import ast
from pathlib import Path

import pytest
from children import run

import onebuf

ROOT = Path(onebuf.__file__).parent

INTERRUPTED = """
    import signal, sys, threading, time
    from importlib.machinery import PathFinder
    import numpy as np, onebuf

    wanted, main = sys.argv[1], threading.main_thread().ident
    seen = []

    class Slow:
        # Runs the first half of a module, lets a signal come, and runs the rest.
        def __init__(self, spec):
            self.loader = spec.loader

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            lines = self.loader.get_source(module.__name__).count("\\n")

            def trace(frame, event, arg):
                if frame.f_code.co_name != "<module>" or frame.f_globals is not vars(module):
                    return None
                def line(frame, event, arg):
                    if event == "line" and frame.f_lineno > lines // 2 and not seen:
                        seen.append(len(vars(module)))
                        signal.pthread_kill(main, signal.SIGUSR1)
                        time.sleep(0.05)
                    return line
                return line

            sys.settrace(trace)
            try:
                self.loader.exec_module(module)
            finally:
                sys.settrace(None)

    class Finder:
        def find_spec(self, name, path, target=None):
            if name != wanted:
                return None
            spec = PathFinder.find_spec(name, path)
            spec.loader = Slow(spec)
            return spec

    x = onebuf.asarray(np.arange(100_000.0), copy=True)
    answers = []

    def program():
        y = onebuf.cumulative_sum(x * 2 + 1)
        w = x[::2]
        w += 1
        w -= 1
        return [y[10].item(), onebuf.sum(x[x > 5] * 2)[()].item(), (x @ x).item()]

    def handler(*_):
        with onebuf.config(tier="compile", eager_numel=0):
            answers.append(program())

    signal.signal(signal.SIGUSR1, handler)
    sys.meta_path.insert(0, Finder())
    with onebuf.config(tier="compile", eager_numel=0):
        answers.append(program())
    print(bool(seen), len(answers), all(answer == answers[0] for answer in answers))
"""


@pytest.mark.parametrize(
    "name",
    [
        "onebuf.scheduler.fuse.fusion",
        "onebuf.scheduler.fuse.multipass",
        "onebuf.scheduler.fuse.matmul",
        "onebuf.engine.run.kernel_write",
        "onebuf.engine.cpu.launch",
        "onebuf.backends.cpu.compiler",
        "onebuf.render.llvm.element.elementwise",
    ],
)
def test_a_signal_handler_computes_in_the_middle_of_an_import(name):
    assert run(INTERRUPTED, name).split() == ["True", "2", "True"]


def test_an_interrupted_import_comes_to_its_end():
    printed = run("""
        import signal, sys, time, _thread
        import onebuf
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have taken
        from onebuf.late import load

        class Finder:
            def find_spec(self, name, path, target=None):
                if name == "onebuf.scheduler.fuse.fusion":
                    _thread.interrupt_main()
                    time.sleep(0.2)

        sys.meta_path.insert(0, Finder())
        try:
            load("onebuf.scheduler.fuse.fusion")
        except KeyboardInterrupt:
            print("interrupted")
        print(load("onebuf.scheduler.fuse.fusion").group_items.__name__)
    """)
    assert printed.split() == ["interrupted", "group_items"]


def test_late_imports_leave_no_thread_behind():
    printed = run("""
        import threading
        import onebuf
        onebuf.median([3, 1, 2]), onebuf.linalg.inv(onebuf.eye(2))
        print(threading.active_count())
    """)
    assert printed.split() == ["1"]


def test_a_module_that_is_not_there_is_an_error():
    from onebuf.late import load

    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load("onebuf.no_such_module")


def is_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def late_names(node: ast.If) -> dict[str, str]:
    """The modules that `Late` names in the second branch, by the name that each is given."""
    calls = [one for one in node.orelse if isinstance(one, ast.Assign)]
    return {one.targets[0].id: one.value.args[0].value for one in calls}  # type: ignore[attr-defined]


def imported_names(node: ast.If) -> dict[str, str]:
    """What the first branch imports, by the name that each is given."""
    froms = [one for one in node.body if isinstance(one, ast.ImportFrom)]
    return {
        each.asname or each.name: f"{one.module}.{each.name}" for one in froms for each in one.names
    }


def test_late_modules_are_those_that_type_checkers_see():
    found = 0
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        for node in ast.parse(text).body:
            if is_checking(node) and node.orelse and " = Late(" in text:
                late, imported = late_names(node), imported_names(node)
                found += len(late)
                assert late == {name: imported.get(name) for name in late}, path
        named = text.count(" = Late(") if path.name != "late.py" else 0
        found -= named
    assert found == 0, "Late is used outside of the else of a TYPE_CHECKING block"


def test_late_names_of_the_root_are_those_that_type_checkers_see():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    (checking,) = [node for node in tree.body if is_checking_root(node)]
    seen = {
        name.asname or name.name: node.module
        for node in checking.body
        if isinstance(node, ast.ImportFrom) and node.module != "onebuf"
        for name in node.names
        if name.name != "*"
    }
    assert seen == onebuf._LATER


def is_checking_root(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "_TYPE_CHECKING"


def test_what_no_buffer_needs_is_not_imported_with_the_package():
    printed = run("""
        import sys
        import onebuf
        loaded = set(sys.modules)
        late = ["array_api", "random", "engine", "backends.numpy.loops", "scheduler", "ops.random",
                "buffer.numpy.functions", "control", "events.records", "interop.dlpack",
                "interop.foreign", "interop.window", "machine.driver", "scalar_types"]
        print([name for name in late if f"onebuf.{name}" in sys.modules])
        large = ["dataclasses", "inspect", "llvmlite", "opt_einsum", "threading", "tqdm"]
        import subprocess
        numpys = subprocess.run(
            [sys.executable, "-c", "import numpy, sys; print(*sys.modules)"],
            capture_output=True, text=True, check=True,
        ).stdout.split()
        print([name for name in large if name in loaded and name not in numpys])
        assert set(dir(onebuf)) == set(onebuf.__all__)
        assert onebuf.add([1], [2])[0] == 3 and onebuf.random.random() < 1
    """)
    assert printed.splitlines() == ["[]", "[]"]


def test_importing_the_package_leaves_the_collector_as_it_was():
    printed = run("""
        import gc
        import numpy
        gc.freeze()  # what a program may do before it forks
        frozen = gc.get_freeze_count()
        import onebuf
        print(gc.isenabled(), gc.get_freeze_count() >= frozen > 0)
    """)
    assert printed.split() == ["True", "True"]
    printed = run("""
        import gc
        gc.disable()
        import onebuf
        print(gc.isenabled(), gc.get_freeze_count())
    """)
    assert printed.split() == ["False", "0"]


def test_the_first_operation_of_a_program_runs_at_once():
    first = ["x + 1", "x.sum()", "-x", "onebuf.sqrt(x)", "x @ x", "x.astype('float64')", "x[:, 1]"]
    for code in first:
        printed = run(f"""
            import onebuf
            x = onebuf.Buffer([[1.0, 2.0], [3.0, 4.0]])
            print(({code})._node.array is not None)
        """)
        assert printed.split() == ["True"], code
