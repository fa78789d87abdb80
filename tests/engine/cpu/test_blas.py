"""The private copy of NumPy's BLAS: one thread, without a change of NumPy's own."""

from __future__ import annotations

import ctypes

import pytest

from onebuf.engine.cpu import blas

FOUND = sorted(blas.FOLDER.glob(blas.PATTERN))


@pytest.fixture
def anew():
    blas._library.cache_clear()
    yield
    blas._library.cache_clear()


@pytest.mark.skipif(len(FOUND) != 1, reason="needs the OpenBLAS of NumPy's wheels")
def test_the_copy_has_one_thread_and_numpys_keeps_its_own(anew):
    count = "scipy_openblas_get_num_threads64_"
    numpys = ctypes.CDLL(str(FOUND[0]))[count]
    before = numpys()
    library = blas._library()
    assert library is not None
    assert library[count]() == 1
    assert numpys() == before


def test_without_the_library_there_is_no_product(anew, monkeypatch, tmp_path):
    monkeypatch.setattr(blas, "FOLDER", tmp_path)
    assert blas.gemm_address() is None


def test_a_file_that_is_no_library_gives_no_product(anew, monkeypatch, tmp_path):
    (tmp_path / "libscipy_openblas64_0.so").write_bytes(b"no library")
    monkeypatch.setattr(blas, "FOLDER", tmp_path)
    assert blas.gemm_address() is None


@pytest.mark.skipif(len(FOUND) != 1, reason="needs the OpenBLAS of NumPy's wheels")
def test_a_library_with_other_products_than_numpys_is_not_used(anew, monkeypatch):
    monkeypatch.setattr(blas, "_multiplies_as_numpy", lambda library: False)
    assert blas.gemm_address() is None
