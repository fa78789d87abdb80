"""On-demand expressions on other devices: computed by the kernels that read them."""

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, OnDemandBuffer, on_demand
from onebuf.errors import ArgumentError

TABLE = (np.arange(6)[:, None] * 10 + np.arange(5)).astype(np.float32)


@pytest.fixture(params=["PYTHON", "OPENCL:0"])
def device(request):
    if request.param.startswith("OPENCL"):
        pytest.importorskip("pyopencl")
    return request.param


def on_host(buffer):
    return buffer.to_device("CPU").to_numpy()


def test_kernels_of_a_device_compute_an_expression(device):
    x = on_demand((6, 5), lambda i, j: (i * 10 + j).astype("float32"), device=device)
    assert isinstance(x, OnDemandBuffer)
    assert x.device is onebuf.device(device)
    np.testing.assert_array_equal(on_host(x * 2 + 1), TABLE * 2 + 1)
    np.testing.assert_array_equal(on_host(x.sum(axis=0)), TABLE.sum(axis=0))
    assert type(x + 1) is Buffer


def test_views_are_made_on_the_device(device):
    x = on_demand((6, 5), lambda i, j: (i * 10 + j).astype("float32"), device=device)
    np.testing.assert_array_equal(on_host(x), TABLE)
    np.testing.assert_array_equal(on_host(x[2:4, ::2]), TABLE[2:4, ::2])
    np.testing.assert_array_equal(on_host(x.T.reshape(-1) + 1), TABLE.T.reshape(-1) + 1)
    assert on_host(x[3, 2]).item() == 32
    np.testing.assert_array_equal(on_host(x.copy()), TABLE)


def test_parts_of_a_huge_expression_are_all_that_is_made(device):
    x = on_demand((10**6, 10**6), lambda i, j: i + j, device=device)
    assert on_host(x[10**5 : 10**5 + 2, 7:9]).tolist() == [[100007, 100008], [100008, 100009]]
    assert on_host((x * 2)[5, 3:5]).tolist() == [16, 18]


def test_what_is_made_on_the_host_goes_to_a_device_as_a_buffer(device):
    x = on_demand((6, 5), lambda box: TABLE[box.slices], dtype="float32")
    there = x.to_device(device)
    assert type(there) is Buffer
    np.testing.assert_array_equal(on_host(there + 1), TABLE + 1)


def test_a_region_function_is_called_on_the_host_alone(device):
    with pytest.raises(ArgumentError, match="to_device"):
        on_demand((6, 5), lambda box: TABLE[box.slices], dtype="float32", device=device)
