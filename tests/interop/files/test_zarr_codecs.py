"""Hostile zarr stores: no codec but the known ones is used, and no chunk is read before that."""

import json
import os
import pickle

import children
import numpy as np
import pytest
import zarr

from onebuf.errors import FileFormatError, ReadOnlyError
from onebuf.interop.files import open_file
from onebuf.interop.files.zarr import open_zarr
from onebuf.interop.files.zarr_codecs import V2_CODECS, V3_CODECS, check_metadata

V2 = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [4],
    "dtype": "<f8",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
V3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4],
    "data_type": "float64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "attributes": {},
}
DANGEROUS = ["pickle", "json2", "msgpack2", "categorize", "vlen-array", "imagecodecs_tiff", "x\n"]


class Trap:
    """Unpickled, it makes a file."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def store_v2(path, **changes):
    path.mkdir(parents=True)
    (path / ".zarray").write_text(json.dumps({**V2, **changes}))
    return path


def store_v3(path, **changes):
    path.mkdir(parents=True)
    (path / "zarr.json").write_text(json.dumps({**V3, **changes}))
    return path


@pytest.mark.parametrize("place", ["compressor", "filters"])
@pytest.mark.parametrize("codec", DANGEROUS)
def test_unknown_codecs_of_format_2_are_named_and_refused(tmp_path, codec, place):
    found = {"id": codec}
    path = store_v2(tmp_path / "evil.zarr", **{place: [found] if place == "filters" else found})
    with pytest.raises(FileFormatError) as caught:
        open_zarr(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert repr(codec) in message
    assert "blosc" in message
    assert "zstd" in message


def test_a_pickle_in_a_chunk_is_never_loaded(tmp_path):
    mark = tmp_path / "ran"
    folder = tmp_path / "evil.zarr"
    store_v2(folder, compressor={"id": "pickle"})
    (folder / "0").write_bytes(pickle.dumps(Trap(mark)))
    # In a process of its own, with a codec that would load it whatever the package's version does.
    program = """
        import pickle, sys
        import numcodecs, onebuf
        from numcodecs.abc import Codec

        class Pickle(Codec):
            codec_id = "pickle"
            encode = staticmethod(pickle.dumps)
            decode = staticmethod(lambda buf, out=None: pickle.loads(bytes(buf)))

        numcodecs.register_codec(Pickle)
        try:
            onebuf.open(sys.argv[1])[:2].tolist()
        except onebuf.OnebufError as error:
            print("refused", "'pickle'" in str(error))
    """
    assert children.run(program, str(folder)) == "refused True\n"
    assert not mark.exists()


def test_a_hostile_array_inside_a_group_is_refused(tmp_path):
    path = tmp_path / "group.zarr"
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    store_v2(path / "good")
    store_v2(path / "deep" / "evil", compressor={"id": "pickle"})
    (path / "deep" / ".zgroup").write_text('{"zarr_format": 2}')
    with pytest.raises(FileFormatError, match=r"deep/evil: the compressor is the codec 'pickle'"):
        open_zarr(path)


def nested(depth: int) -> list:
    codecs = V3["codecs"]
    for _ in range(depth):
        configuration = {"chunk_shape": [4], "codecs": codecs, "index_codecs": V3["codecs"]}
        codecs = [{"name": "sharding_indexed", "configuration": configuration}]
    return codecs


@pytest.mark.parametrize(
    "codecs",
    [
        [{"name": "numcodecs.pickle"}],
        [*V3["codecs"], {"name": "vlen-bytes"}],
        ["pickle"],
        [{"name": "numcodecs.zlib", "configuration": {"id": "pickle"}}],
        [{"name": "numcodecs.zlib", "configuration": [1]}],
        [{"id": "zstd"}],
        [{"name": ["zstd"]}],
        [3],
        {"name": "bytes"},
        nested(20),
        [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [2],
                    "codecs": V3["codecs"],
                    "index_codecs": [{"name": "numcodecs.pickle"}],
                },
            }
        ],
        [
            {
                "name": "numcodecs.astype",
                "configuration": {"encode_dtype": "|O", "decode_dtype": "<f8"},
            }
        ],
    ],
    ids=lambda codecs: json.dumps(codecs)[:40],
)
def test_unknown_codecs_of_format_3_are_refused(tmp_path, codecs):
    path = store_v3(tmp_path / "evil.zarr", codecs=codecs)
    with pytest.raises(FileFormatError) as caught:
        open_zarr(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("dtype", ["|O", "O", [["a", "<f8"]], "<U4", "|S4", "<M8[s]", "|V8", 3])
def test_elements_that_are_no_numbers_are_refused_before_zarr_sees_them(tmp_path, dtype):
    with pytest.raises(FileFormatError, match="numbers"):
        open_zarr(store_v2(tmp_path / "two.zarr", dtype=dtype))
    with pytest.raises(FileFormatError, match="numbers"):
        open_zarr(store_v3(tmp_path / "three.zarr", data_type=dtype))


def test_storage_transformers_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="transformers"):
        open_zarr(store_v3(tmp_path / "a.zarr", storage_transformers=[{"name": "x"}]))


NEED_A_DTYPE = {
    "delta": {"dtype": "<f8"},
    "astype": {"encode_dtype": "<f4", "decode_dtype": "<f8"},
    "fixedscaleoffset": {"offset": 0, "scale": 1, "dtype": "<f8", "astype": "<f8"},
    "quantize": {"digits": 10, "dtype": "<f8"},
    "bitround": {"keepbits": 50},
    "shuffle": {"elementsize": 8},
}


@pytest.mark.parametrize("codec", sorted(set(V2_CODECS) - {"packbits"}))
def test_every_known_codec_of_format_2_is_read(tmp_path, codec):
    import numcodecs

    made = numcodecs.get_codec({"id": codec, **NEED_A_DTYPE.get(codec, {})})
    path = tmp_path / "array.zarr"
    expected = np.array([1.0, 2.0, 3.0, 5.0])
    array = zarr.create_array(
        path, shape=(4,), dtype="<f8", zarr_format=2, compressors=None, filters=[made]
    )
    array[...] = expected
    np.testing.assert_array_equal(open_file(path).read([(0, 4)]), expected)


@pytest.mark.parametrize("shards", [None, (4,)])
def test_the_codecs_of_the_package_are_known(tmp_path, shards):
    from zarr.codecs import BloscCodec, GzipCodec, TransposeCodec, ZstdCodec

    for number, codec in enumerate([BloscCodec(), GzipCodec(), ZstdCodec()]):
        path = tmp_path / f"{number}.zarr"
        filters = [TransposeCodec(order=(0,))]
        array = zarr.create_array(
            path, shape=(4,), chunks=(2,), shards=shards, dtype="f8", compressors=codec,
            filters=filters,
        )  # fmt: skip
        array[...] = np.arange(4.0)
        assert open_file(path).read([(0, 4)]).tolist() == [0, 1, 2, 3]


def test_checking_depends_on_nothing_but_the_metadata():
    for name in V3_CODECS:
        check_metadata("a.zarr", {**V3, "codecs": [{"name": name}]})
    with pytest.raises(FileFormatError, match="'Zstd'"):
        check_metadata("a.zarr", {**V3, "codecs": [{"name": "Zstd"}]})


def test_links_in_a_circle_end(tmp_path):
    path = tmp_path / "group.zarr"
    zarr.open_group(path, mode="w").create_array("a", shape=(2,), dtype="i4")[...] = [1, 2]
    for name in ("x", "y", "z"):
        os.symlink(path, path / name)
    program = "import sys, onebuf; print(list(onebuf.open(sys.argv[1])))"
    assert children.run(program, str(path), timeout=60) == "['a']\n"


def test_many_compressors_one_after_another_are_refused(tmp_path):
    zlib = {"id": "zlib", "level": 9}
    store_v2(tmp_path / "two.zarr", compressor=zlib, filters=[zlib])
    assert open_zarr(tmp_path / "two.zarr").read([(0, 4)]).tolist() == [0, 0, 0, 0]
    path = store_v2(tmp_path / "three.zarr", compressor=zlib, filters=[zlib, zlib])
    with pytest.raises(FileFormatError, match="3 compressors one after another"):
        open_zarr(path)
    codecs = [*V3["codecs"], *[{"name": "gzip", "configuration": {"level": 1}}] * 2]
    store_v3(tmp_path / "v3.zarr", codecs=[*codecs, {"name": "numcodecs.zlib"}])
    with pytest.raises(FileFormatError, match="3 compressors one after another"):
        open_zarr(tmp_path / "v3.zarr")


def test_a_link_in_the_place_of_a_chunk_is_replaced_and_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("mine")
    path = store_v2(tmp_path / "evil.zarr")
    (path / "0").symlink_to(secret)
    open_zarr(path, "r+").write([(0, 4)], np.arange(4.0))
    assert secret.read_text() == "mine"
    assert not (path / "0").is_symlink()
    assert open_zarr(path).read([(0, 4)]).tolist() == [0, 1, 2, 3]


def test_nothing_is_written_outside_a_store(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    path = store_v3(tmp_path / "evil.zarr")
    (path / "c").symlink_to(home)
    with pytest.raises(ReadOnlyError, match="leads outside"):
        open_zarr(path, "r+").write([(0, 4)], np.arange(4.0))
    assert os.listdir(home) == []
