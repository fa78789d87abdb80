"""What is being saved is private until it is complete, and then as private as what it replaces."""

import errno
import os
import stat
import struct
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from onebuf.interop.files import atomic_write, elements, open_file, permissions, save_file
from onebuf.interop.files.atomic_write import replacing_directory, replacing_file
from onebuf.interop.files.permissions import Permissions, default_mode

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs Unix permissions")

NAMING = ["unnamed", "named"]
FILES = ["npy", "npz", "safetensors", "raw"]
ACL = "system.posix_acl_access"


def mode_of(path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture(params=NAMING)
def naming(request, monkeypatch):
    """With files that have no name until they are complete, and without."""
    if request.param == "named":
        for module in (atomic_write, permissions):
            monkeypatch.setattr(module, "open_unnamed", lambda directory, mode: None)
    return request.param


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("before", [None, 0o600, 0o640, 0o644, 0o666])
def test_a_file_is_private_until_it_is_complete(tmp_path, naming, before):
    target = tmp_path / "target"
    if before is not None:
        target.write_bytes(b"old")
        target.chmod(before)
    with replacing_file(target) as file:
        file.write(b"new")
        file.flush()
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        others = [name for name in os.listdir(tmp_path) if name != "target"]
        assert len(others) == (naming == "named")
        assert all(mode_of(tmp_path / name) == 0o600 for name in others)
    assert target.read_bytes() == b"new"
    assert mode_of(target) == (0o644 if before is None else before)
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.parametrize("umask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_gets_the_mode_of_the_umask(tmp_path, naming, umask, mode):
    os.umask(umask)
    with replacing_file(tmp_path / "target") as file:
        file.write(b"new")
    assert mode_of(tmp_path / "target") == mode
    assert os.umask(umask) == umask


def test_the_default_mode_is_found_without_changing_the_umask(tmp_path, naming, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("another thread would see this"))
    assert default_mode(tmp_path, 0o666) == 0o644
    assert default_mode(tmp_path, 0o777) == 0o755
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("format", [*FILES, "zarr"])
def test_every_format_saves_over_a_private_file_in_private(tmp_path, naming, monkeypatch, format):
    path = tmp_path / f"secret.{format}"
    save_file(path, np.arange(3.0))
    path.chmod(0o700 if format == "zarr" else 0o600)
    seen = set()

    def watch(*arguments, genuine):
        for entry in tmp_path.iterdir():
            if entry != path:
                seen.add(mode_of(entry) & 0o077)
        return genuine(*arguments)

    for name in ("replace", "rename"):
        genuine = getattr(os, name)
        monkeypatch.setattr(
            atomic_write.os, name, lambda *given, genuine=genuine: watch(*given, genuine=genuine)
        )
    save_file(path, np.arange(4.0))
    assert seen == {0}
    assert mode_of(path) & 0o077 == 0
    assert os.listdir(tmp_path) == [path.name]


def test_while_a_large_private_file_is_saved_nobody_else_can_read_it(tmp_path):
    path = tmp_path / "secret.npy"
    save_file(path, np.arange(3.0))
    path.chmod(0o600)
    program = "import sys, numpy as np; from onebuf.interop.files import save_file\n"
    program += "save_file(sys.argv[1], np.zeros(10_000_000))"
    child = subprocess.Popen([sys.executable, "-c", program, str(path)])
    seen = set()
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        for entry in os.scandir(tmp_path):
            try:
                seen.add(stat.S_IMODE(entry.stat().st_mode))
            except FileNotFoundError:
                continue
    assert child.wait(timeout=60) == 0
    assert seen == {0o600}


def test_a_killed_process_leaves_nothing_beside_the_old_file(tmp_path):
    if permissions.open_unnamed(tmp_path, 0o600) is None:
        pytest.skip("needs a file system with files that have no name")
    path = tmp_path / "target.npy"
    save_file(path, np.arange(3))
    program = """
        import os, signal, sys
        import numpy as np
        from onebuf.interop.files import npy, save_file

        def die(file, array):
            file.write(b"a secret")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

        npy.write_elements = die
        save_file(sys.argv[1], np.arange(5))
    """
    child = [sys.executable, "-c", textwrap.dedent(program), str(path)]
    assert subprocess.run(child, timeout=60).returncode != 0
    assert os.listdir(tmp_path) == ["target.npy"]
    assert np.load(path).tolist() == [0, 1, 2]


def test_where_a_file_cannot_get_a_name_it_is_copied(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(errno.EPERM, "not here")

    monkeypatch.setattr(atomic_write.os, "link", refuse)
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    content = os.urandom(3 << 20)
    with replacing_file(target) as file:
        file.write(content)
    assert target.read_bytes() == content
    assert mode_of(target) == 0o640
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_owner_and_group_are_kept(tmp_path, naming):
    target = tmp_path / "target"
    target.write_bytes(b"old")
    os.chown(target, 12345, 23456)
    target.chmod(0o640)
    with replacing_file(target) as file:
        file.write(b"new")
    status = target.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o640)


@pytest.mark.parametrize("mode, expected", [(0o640, 0o600), (0o664, 0o644), (0o666, 0o666)])
def test_a_group_that_cannot_be_kept_leaves_no_right_to_another(
    tmp_path, monkeypatch, mode, expected
):
    def refuse(*arguments, **options):
        raise PermissionError("only root may")

    monkeypatch.setattr(permissions.os, "chown", refuse)
    target = tmp_path / "target"
    target.touch(mode=0o600)
    status = target.stat()
    Permissions(status.st_uid, status.st_gid + 1, mode).apply(target)
    assert mode_of(target) == expected


def acl(*entries: tuple[int, int, int]) -> bytes:
    """An access control list as Linux stores it: a version, then tag, rights and id."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


ANYBODY = 0xFFFFFFFF
LIST = acl((1, 6, ANYBODY), (2, 6, 4321), (4, 0, ANYBODY), (16, 6, ANYBODY), (32, 0, ANYBODY))
"""The owner and user 4321 read and write; the group, whose bits then show, must not."""


@pytest.fixture
def listed(tmp_path) -> Path:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    try:
        os.setxattr(target, ACL, LIST)
    except (AttributeError, OSError):
        pytest.skip("needs a file system with access control lists")
    assert mode_of(target) == 0o660
    return target


def test_access_control_lists_are_kept(listed, naming):
    with replacing_file(listed) as file:
        file.write(b"new")
    assert os.getxattr(listed, ACL) == LIST


def test_a_list_that_cannot_be_kept_gives_the_group_nothing(listed, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(errno.EOPNOTSUPP, "no lists")

    monkeypatch.setattr(permissions.os, "setxattr", refuse)
    with replacing_file(listed) as file:
        file.write(b"new")
    assert mode_of(listed) == 0o600


def test_setuid_is_left_behind(tmp_path):
    target = tmp_path / "target"
    target.touch()
    target.chmod(0o4755)
    with replacing_file(target) as file:
        file.write(b"new")
    assert mode_of(target) == 0o755


def test_what_the_owner_may_not_write_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "target.npy"
    save_file(target, np.arange(3))
    target.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, how: False)  # as for everybody but root
    with pytest.raises(PermissionError, match="may not be written"):
        save_file(target, np.arange(5))
    assert np.load(target).tolist() == [0, 1, 2]


def test_a_directory_that_may_not_be_written_is_an_error_that_says_why(tmp_path, monkeypatch):
    genuine = os.open

    def refuse(path, flags, *arguments, **options):
        if flags & (os.O_CREAT | getattr(os, "O_TMPFILE", 0) & ~os.O_DIRECTORY):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return genuine(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match=r"directory that may be written.*mode='r\+'"):
        save_file(tmp_path / "a.npy", np.arange(3))
    assert os.listdir(tmp_path) == []


def test_links_to_nowhere_are_followed_and_circles_refused(tmp_path):
    (tmp_path / "link.npy").symlink_to("target.npy")
    save_file(tmp_path / "link.npy", np.arange(3))
    assert (tmp_path / "link.npy").is_symlink()
    assert np.load(tmp_path / "target.npy").tolist() == [0, 1, 2]
    (tmp_path / "circle.npy").symlink_to("circle.npy")
    with pytest.raises(OSError, match="circle"):
        save_file(tmp_path / "circle.npy", np.arange(3))
    assert (tmp_path / "circle.npy").is_symlink()


def test_a_new_store_is_private_until_it_is_complete(tmp_path, naming):
    with replacing_directory(tmp_path / "store", lambda path: True) as folder:
        assert mode_of(folder) == 0o700
        (folder / "data").write_bytes(b"secret")
    assert mode_of(tmp_path / "store") == 0o755


def test_a_store_keeps_its_permissions_when_it_is_replaced(tmp_path):
    path = tmp_path / "store.zarr"
    save_file(path, {"a": np.arange(3), "b/c": np.arange(3)})
    for folder, _, files in os.walk(path):
        os.chmod(folder, 0o750)
        for name in files:
            os.chmod(Path(folder, name), 0o640)
    save_file(path, {"a": np.arange(5), "d/e": np.arange(5)})
    for folder, _, files in os.walk(path):
        assert mode_of(folder) == 0o750
        assert {mode_of(Path(folder, name)) for name in files} <= {0o640}


def test_chunks_written_to_a_private_store_are_private(tmp_path):
    path = tmp_path / "store.zarr"
    save_file(path, np.zeros(4))
    for file in path.rglob("*"):
        if file.is_file():
            file.chmod(0o600)
    open_file(path, "r+").write([(0, 4)], np.arange(4.0))
    modes = {mode_of(file) for file in path.rglob("*") if file.is_file()}
    assert modes == {0o600}
    assert open_file(path).read([(0, 4)]).tolist() == [0, 1, 2, 3]


def test_saves_of_several_threads_each_appear_whole(tmp_path):
    path = tmp_path / "target.npy"
    arrays = [np.full(elements.PIECE_NBYTES // 4, number, np.int32) for number in range(4)]
    threads = [threading.Thread(target=save_file, args=(path, array)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(np.unique(np.load(path))) == 1
    assert os.listdir(tmp_path) == ["target.npy"]
