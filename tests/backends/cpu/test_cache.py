"""The disk cache gives back exactly what was kept, or nothing, whatever happens around it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cpu_kernels import Arguments, adding

from onebuf import config
from onebuf.backends.cpu import cache, compile, host, object_code
from onebuf.backends.cpu.cache import Cache, default_folder, digest
from onebuf.backends.cpu.object_code import key_of
from onebuf.events import Event, listening

CONTENT = bytes(range(256)) * 4


@pytest.fixture
def kept(cache_dir: Path) -> tuple[Cache, bytes, Path]:
    """A cache with one entry: its key, and where it is."""
    kept = Cache(str(cache_dir))
    key = digest("an entry")
    kept.put(key, CONTENT)
    assert kept.get(key) == CONTENT
    return kept, key, Path(kept.path(key))


def test_what_was_never_kept_is_not_there(cache_dir: Path) -> None:
    assert Cache(str(cache_dir)).get(digest("nothing")) is None


def test_empty_content_can_be_kept(cache_dir: Path) -> None:
    kept = Cache(str(cache_dir))
    kept.put(digest("empty"), b"")
    assert kept.get(digest("empty")) == b""


@pytest.mark.parametrize("length", [0, 1, 15, 16, 47, 48, 79, 80, 81, 600, 1103])
def test_a_truncated_entry_does_not_count(kept: tuple[Cache, bytes, Path], length: int) -> None:
    folder, key, path = kept
    path.write_bytes(path.read_bytes()[:length])
    assert folder.get(key) is None


@pytest.mark.parametrize("position", [0, 14, 16, 47, 48, 79, 80, 500, -1])
def test_an_entry_with_a_changed_byte_does_not_count(
    kept: tuple[Cache, bytes, Path], position: int
) -> None:
    folder, key, path = kept
    entry = bytearray(path.read_bytes())
    entry[position] ^= 1
    path.write_bytes(entry)
    assert folder.get(key) is None


def test_an_entry_with_more_than_it_should_have_does_not_count(
    kept: tuple[Cache, bytes, Path],
) -> None:
    folder, key, path = kept
    path.write_bytes(path.read_bytes() + b"\0")
    assert folder.get(key) is None


def test_an_entry_under_the_name_of_another_does_not_count(
    kept: tuple[Cache, bytes, Path],
) -> None:
    folder, _, path = kept
    other = digest("another entry")
    os.rename(path, folder.path(other))
    assert folder.get(other) is None


STRANGE: dict[str, Callable[[Path], None]] = {
    "text": lambda path: path.write_text("not ours") and None,
    "folder": lambda path: path.mkdir(),
    "link to itself": lambda path: path.symlink_to(path),
    "pipe": lambda path: os.mkfifo(path),
}


@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_something_else_in_its_place_does_not_count(
    kept: tuple[Cache, bytes, Path], make: Callable[[Path], None]
) -> None:
    folder, key, path = kept
    path.unlink()
    make(path)
    assert folder.get(key) is None


def test_links_are_not_followed(kept: tuple[Cache, bytes, Path], tmp_path: Path) -> None:
    folder, key, path = kept
    os.rename(path, tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert folder.get(key) is None


def test_entries_of_others_do_not_count(
    kept: tuple[Cache, bytes, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, key, _ = kept
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.warns(RuntimeWarning, match=f"belongs to user {mine}"):
        assert folder.get(key) is None


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_entries_that_others_may_write_do_not_count(
    kept: tuple[Cache, bytes, Path], mode: int
) -> None:
    folder, key, path = kept
    path.chmod(mode)
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        assert folder.get(key) is None
    folder.put(key, CONTENT)
    assert folder.get(key) == CONTENT


def test_nobody_else_may_look_into_the_folder(kept: tuple[Cache, bytes, Path]) -> None:
    *_, path = kept
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_entry_is_made_again_without_a_word(cache_dir: Path) -> None:
    key = key_of(adding(5), host())
    compile(adding(5), "add")
    path = Path(Cache(str(cache_dir)).path(key))
    sound = path.read_bytes()
    path.write_bytes(sound[:-100] + bytes(100))
    heard: list[Event] = []
    x = np.zeros(2, np.int64)
    args = Arguments(x)
    with listening(heard.append):
        compile(adding(5), "add").call(args.address, 0, 2)
    assert x.tolist() == [5, 5]
    assert [getattr(event, "from_disk", None) for event in heard] == [False]
    assert path.read_bytes() == sound


IMPOSSIBLE = ["/proc/onebuf", "/dev/null/onebuf", "\0"]


@pytest.mark.parametrize("folder", IMPOSSIBLE)
def test_a_folder_that_cannot_be_made_is_as_good_as_none(
    folder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    x = np.zeros(2, np.int64)
    args = Arguments(x)
    with config(cache_dir=folder):
        compile(adding(6), "add").call(args.address, 0, 2)
    assert x.tolist() == [6, 6]
    assert capfd.readouterr() == ("", "")


def test_no_home_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    default_folder.cache_clear()
    assert default_folder() is None
    default_folder.cache_clear()
    nowhere = Cache(None)
    nowhere.put(digest("x"), b"x")
    nowhere.sweep()
    assert nowhere.get(digest("x")) is None


@pytest.mark.parametrize(
    "platform, variables, expected",
    [
        ("linux", {}, "HOME/.cache/onebuf"),
        ("linux", {"XDG_CACHE_HOME": "/tmp/mine"}, "/tmp/mine/onebuf"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "HOME/.cache/onebuf"),
        ("linux", {"HOME": "/no/such/home"}, None),
        ("linux", {"HOME": "relative"}, None),
        ("linux", {"HOME": "/no/such/home", "XDG_CACHE_HOME": "/tmp/mine"}, "/tmp/mine/onebuf"),
        ("darwin", {}, "HOME/Library/Caches/onebuf"),
        ("win32", {}, "HOME/AppData/Local/onebuf"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/onebuf"),
    ],
)
def test_each_system_has_its_place_for_caches(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    platform: str,
    variables: dict[str, str],
    expected: str | None,
) -> None:
    if expected is not None:
        expected = expected.replace("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache.sys, "platform", platform)
    default_folder.cache_clear()
    found = default_folder()
    monkeypatch.undo()
    default_folder.cache_clear()
    assert found == expected


@pytest.mark.parametrize("broken", ["replace", "makedirs"])
def test_a_write_that_fails_leaves_nothing_behind(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    cache_dir.mkdir(parents=True)

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, broken, fail)
    folder = Cache(str(cache_dir))
    folder.put(digest("x"), b"x")
    assert folder.get(digest("x")) is None
    assert list(cache_dir.iterdir()) == []


def test_every_part_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {key_of("ir", host()), key_of("ir ", host()), key_of("ir", host().baseline())}
    for name in ("VERSIONS", "OPTIONS"):
        monkeypatch.setattr(object_code, name, "another")
        keys.add(key_of("ir", host()))
        monkeypatch.undo()
    assert len(keys) == 5
    assert digest("a", "bc") != digest("ab", "c")


def fill(folder: Cache, count: int) -> list[bytes]:
    """Keep ``count`` entries, each used a minute later than the one before, long ago."""
    keys = [digest(f"entry {i}") for i in range(count)]
    for i, key in enumerate(keys):
        folder.put(key, CONTENT)
        os.utime(folder.path(key), (1e9 + 60 * i,) * 2)
    return keys


def test_a_sweep_removes_what_was_not_used_for_longest(cache_dir: Path) -> None:
    size = len(CONTENT) + 80
    folder = Cache(str(cache_dir), cap=4 * size)
    keys = fill(folder, 10)
    assert folder.get(keys[2]) == CONTENT  # which makes it recent
    folder.sweep()
    left = [i for i, key in enumerate(keys) if folder.get(key) is not None]
    assert left == [2, 7, 8, 9]


def test_a_sweep_leaves_other_files_and_writers_alone(cache_dir: Path) -> None:
    folder = Cache(str(cache_dir), cap=0)
    fill(folder, 3)
    others = ["notes.txt", "short.object", "Z" * 64 + ".object", "new.unfinished"]
    for name in [*others, "old.unfinished"]:
        (cache_dir / name).touch()
    os.utime(cache_dir / "old.unfinished", (1e9, 1e9))
    os.utime(cache_dir / "notes.txt", (1e9, 1e9))
    folder.sweep()
    assert sorted(path.name for path in cache_dir.iterdir()) == sorted(others)


def test_writing_sweeps_now_and_then(cache_dir: Path) -> None:
    folder = Cache(str(cache_dir), cap=20 * (len(CONTENT) + 80))
    for i in range(2000):
        folder.put(digest(f"entry {i}"), CONTENT)
    assert len(list(cache_dir.iterdir())) < 1500


RACE = """
import sys
import numpy as np
from onebuf.backends.cpu.cache import Cache, digest
folder, seed, rounds = Cache(sys.argv[1], cap=40_000), int(sys.argv[2]), int(sys.argv[3])
numbers = np.random.default_rng(seed)
hits = 0
for i in range(rounds):
    name = f"{numbers.integers(40)}"
    content = name.encode() * 1000
    found = folder.get(digest(name))
    assert found is None or found == content, "a reader saw half an entry"
    hits += found is not None
    if numbers.integers(2):
        folder.put(digest(name), content)
    if i % 50 == seed:
        folder.sweep()
print(hits)
"""


def test_processes_that_write_read_and_sweep_at_once_do_not_disturb_one_another(
    cache_dir: Path, tmp_path: Path
) -> None:
    paths = [path for path in sys.path if path]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(cache_dir), str(seed), "600"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": os.pathsep.join(paths)},
        )
        for seed in range(3)
    ]
    finished = [process.communicate(timeout=120) for process in children]
    assert [process.returncode for process in children] == [0, 0, 0], finished
    assert all(int(output) > 0 for output, _ in finished)
    assert [path.name for path in cache_dir.iterdir() if path.suffix == ".unfinished"] == []


COMPILE = """
program = compile(adding(int(sys.argv[1])), "add")
x = np.zeros(2, np.int64)
args = Arguments(x)
program.call(args.address, 0, 2)
assert x.tolist() == [int(sys.argv[1])] * 2
"""


def test_another_process_finds_what_this_one_kept(
    cache_dir: Path, child: Callable[..., object]
) -> None:
    child(COMPILE, "8")
    heard: list[Event] = []
    with listening(heard.append):
        compile(adding(8), "add")
    assert [getattr(event, "from_disk", None) for event in heard] == [True]
