"""Code that somebody else can have written is not loaded, and that is said once."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import children
import pytest

from onebuf.backends.cpu import file_trust
from onebuf.backends.cpu.cache import Cache, digest
from onebuf.backends.cpu.file_trust import make_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix permissions")

KEY, CONTENT = digest("an entry"), b"machine code"
STRANGER = 12345


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing is known about folders yet."""
    file_trust._good.clear()
    file_trust._warned.clear()
    yield
    file_trust._good.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a cache with one entry, two levels below one that others cannot change."""
    found = tmp_path / "above" / "cache"
    Cache(str(found)).put(KEY, CONTENT)
    assert Cache(str(found)).get(KEY) == CONTENT
    file_trust._good.clear()
    return found


@pytest.fixture
def owners(monkeypatch: pytest.MonkeyPatch) -> dict[Path, int]:
    """Other owners for some paths, as only root could give them."""
    strangers: dict[Path, int] = {}
    genuine = {name: getattr(os, name) for name in ("stat", "lstat", "fstat")}

    def look(name: str, path: object, **options: object) -> os.stat_result:
        status = genuine[name](path, **options)
        for stranger, owner in strangers.items():
            if genuine["lstat"](stranger).st_ino == status.st_ino:
                values = list(status)
                values[stat.ST_UID] = owner
                return os.stat_result(values)
        return status

    for name in genuine:
        monkeypatch.setattr(
            file_trust.os, name, lambda path, *, name=name, **options: look(name, path, **options)
        )
    return strangers


def refused(folder: Path, match: str) -> None:
    """Neither read nor written, with one warning for any number of attempts."""
    before = sorted(os.listdir(folder))
    cache = Cache(str(folder))
    with pytest.warns(RuntimeWarning, match=match) as caught:
        assert cache.get(KEY) is None
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get(KEY) is None
        cache.put(digest("another"), CONTENT)
        cache.sweep()
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_not_used(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    refused(folder, r"can be written by others.*chmod -R go-w.*cache_dir")


def test_a_folder_of_somebody_else_is_not_used(folder: Path, owners: dict[Path, int]) -> None:
    owners[folder] = STRANGER
    refused(folder, f"belongs to user {STRANGER}, not to you")


def test_a_folder_below_somebody_elses_is_not_used(folder: Path, owners: dict[Path, int]) -> None:
    owners[folder.parent] = STRANGER
    refused(folder, f"is in {folder.parent}, which belongs to user {STRANGER}")


def test_a_folder_that_everybody_can_replace_is_not_used(folder: Path) -> None:
    folder.parent.chmod(0o777)
    refused(folder, "everybody, who could replace")


def test_sticky_folders_and_those_of_root_protect_what_is_in_them(
    folder: Path, owners: dict[Path, int]
) -> None:
    folder.parent.chmod(0o1777)
    owners[folder.parent] = 0
    assert Cache(str(folder)).get(KEY) == CONTENT


def test_an_entry_of_somebody_else_is_not_used(folder: Path, owners: dict[Path, int]) -> None:
    cache = Cache(str(folder))
    owners[Path(cache.path(KEY))] = STRANGER
    with pytest.warns(RuntimeWarning, match=f"in it belongs to user {STRANGER}"):
        assert cache.get(KEY) is None


def test_links_of_the_user_are_followed_and_those_of_others_not(
    folder: Path, tmp_path: Path, owners: dict[Path, int]
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert Cache(str(link)).get(KEY) == CONTENT
    file_trust._good.clear()
    owners[link] = STRANGER
    refused(link, f"is reached through {link}, a link of user {STRANGER}")


def test_a_link_in_a_place_for_everybody_leads_nowhere(
    tmp_path: Path, owners: dict[Path, int]
) -> None:
    """As when somebody has put a link to the victim's own folder under a name that is known."""
    shared, home = tmp_path / "shared", tmp_path / "home"
    shared.mkdir()
    shared.chmod(0o1777)
    home.mkdir()
    (shared / "onebuf").symlink_to(home)
    owners[shared / "onebuf"] = STRANGER
    cache = Cache(str(shared / "onebuf"))
    with pytest.warns(RuntimeWarning, match="link"):
        cache.put(KEY, CONTENT)
    assert os.listdir(home) == []


def test_nothing_is_made_where_somebody_else_could_replace_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="everybody"):
        Cache(str(tmp_path / "new" / "cache")).put(KEY, CONTENT)
    assert os.listdir(tmp_path) == []


def test_a_new_folder_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_folder(str(tmp_path / "cache"))
        Cache(str(tmp_path / "cache")).put(KEY, CONTENT)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700
    [entry] = (tmp_path / "cache").iterdir()
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_a_folder_that_changes_after_a_check_is_checked_again(folder: Path, tmp_path: Path) -> None:
    assert Cache(str(folder)).get(KEY) == CONTENT
    folder.chmod(0o777)
    refused(folder, "can be written by others")
    folder.chmod(0o700)
    assert Cache(str(folder)).get(KEY) == CONTENT
    folder.rename(tmp_path / "elsewhere")
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    assert Cache(str(folder)).get(KEY) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs root")
def test_a_program_computes_without_a_cache_that_it_may_not_use(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    os.chown(folder, STRANGER, STRANGER)
    program = """
        import sys, warnings
        import numpy as np, onebuf
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with onebuf.config(cache_dir=sys.argv[1], tier="compile", eager_numel=0):
                for k in range(3):
                    x = onebuf.asarray(np.arange(1000.0))
                    print(float((x * 2 + k).sum()))
        print(len(caught), caught[0].category.__name__)
    """
    printed = children.run(program, str(folder)).split()
    assert printed == ["999000.0", "1000000.0", "1001000.0", "1", "RuntimeWarning"]
    assert os.listdir(folder) == []


@pytest.mark.parametrize("damage", [lambda e: e[:-1], lambda e: e[:-1] + b"?", lambda e: b""])
def test_damaged_findings_of_a_search_are_not_used(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """Findings are entries like others: what is kept about a kernel has its digest too."""
    from onebuf.engine.cpu.autotune import from_bytes

    cache = Cache(str(tmp_path / "cache"))
    cache.put(KEY, b'{"seconds": 3.0, "times": []}')
    kept = cache.get(KEY)
    assert kept is not None
    assert from_bytes(kept).seconds == 3.0
    path = Path(cache.path(KEY))
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None
