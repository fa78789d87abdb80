"""Memory of torch and jax as blocks: shared, copied, counted, refused."""

from __future__ import annotations

import gc

import children
import numpy as np
import pytest
from array_devices import driver, on_library, opened

from onebuf import dtypes, machine
from onebuf.backends.protocols import ArrayDriver
from onebuf.errors import (
    ArgumentError,
    CopyError,
    DeviceError,
    DTypeError,
    ExportError,
    OutOfMemory,
)
from onebuf.graph import BINARY, FULL, UNARY
from onebuf.layout import View

torch = pytest.importorskip("torch", reason="torch is not installed")
jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = jax.numpy

pytestmark = pytest.mark.interop
__all__ = ["driver"]

FLOAT = np.dtype("float32")


def test_drivers_are_what_the_engine_asks_for(driver):
    assert isinstance(driver, ArrayDriver)
    assert driver.library in driver.facts().description.lower().replace("pytorch", "torch")
    driver.synchronize()


# -- in and out ------------------------------------------------------------------------------------


def test_what_was_wrapped_comes_out_as_the_same_object():
    for kind, native in (("TORCH", torch.ones(2, 3).T), ("JAX", jnp.ones((2, 3)))):
        driver = opened(kind)
        block = driver.wrap(native)
        assert driver.native(block, FLOAT, None) is native
        assert driver.native(block, FLOAT, View.contiguous(native.shape)) is native
        assert block.nbytes == 24


def test_a_wrapped_tensor_is_written_in_place():
    driver, tensor = opened("TORCH"), torch.zeros(2, 3)
    block = driver.wrap(tensor)
    driver.write(block, FLOAT, View((2,), (3,), 1), torch.ones(2))
    assert tensor.tolist() == [[0, 1, 0], [0, 1, 0]]
    tensor[0, 0] = 5
    assert driver.get(block.memory)[0, 0] == 5
    assert block.memory is tensor


def test_a_wrapped_jax_array_stays_as_it_is():
    driver, array = opened("JAX"), jnp.zeros((2, 3))
    block = driver.wrap(array)
    driver.write(block, FLOAT, View((2,), (3,), 1), jnp.ones(2))
    assert array.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert driver.get(block.memory).tolist() == [[0, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_host_arrays_are_copied_there_and_back(driver, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    wanted = array.T.tolist()
    block = driver.put(array.T)
    array[0, 0] = 1
    got = driver.get(block.memory)
    assert got.dtype == dtype
    assert got.tolist() == wanted
    got[0, 0] = 1
    assert driver.get(block.memory)[0, 0] == dtype.type(0)


def test_torch_shares_the_memory_of_the_host_where_it_can():
    driver, array = opened("TORCH"), np.zeros((3, 4), np.float32)
    block = driver.from_host(array[:, ::2])
    array[1, 2] = 7
    assert block.memory[1, 1] == 7
    block.memory[0, 0] = 3
    assert array[0, 0] == 3
    array.flags.writeable = False
    for other in (array, np.zeros(3)[::-1], np.zeros(3, dtypes.bfloat16)):
        with pytest.raises(CopyError):
            driver.from_host(other)


def test_jax_does_not_share_the_memory_of_the_host():
    with pytest.raises(CopyError):
        opened("JAX").from_host(np.zeros(3))


def test_results_do_not_share_memory_with_operands(driver):
    x = driver.put(np.arange(3.0))
    for name in ("positive", "real", "conj"):
        block = driver.compute(UNARY[name], (x.memory,), None, (3,), np.dtype(float))
        driver.write(block, np.dtype(float), None, driver.put(np.zeros(3)).memory)
        assert driver.get(x.memory).tolist() == [0, 1, 2]


def test_conjugates_that_torch_put_off_are_right():
    driver, tensor = opened("TORCH"), torch.tensor([1 + 2j, 3 - 1j])
    block = driver.wrap(torch.conj(tensor))
    assert block.memory.is_conj()
    assert driver.get(block.memory).tolist() == [1 - 2j, 3 + 1j]
    result = driver.compute(UNARY["imag"], (block.memory,), None, (2,), FLOAT)
    assert driver.get(result.memory).tolist() == [-2, 1]
    back = View.contiguous((2,)).flip()
    assert driver.get(driver.native(block, np.dtype("complex64"), back)).tolist() == [
        3 + 1j,
        1 - 2j,
    ]


def test_negatives_that_torch_put_off_are_right():
    driver, tensor = opened("TORCH"), torch.tensor([1 + 2j, 3 - 1j])
    block = driver.wrap(torch.conj(tensor).imag)
    assert block.memory.is_neg()
    back = View.contiguous((2,)).flip()
    assert driver.get(driver.native(block, FLOAT, back)).tolist() == [1, -2]
    driver.write(block, FLOAT, back, torch.tensor([5.0, 6.0]))
    assert tensor.tolist() == [1 - 6j, 3 - 5j]


def test_owners_are_known_without_their_libraries():
    class Mine(torch.Tensor):
        """A tensor of a class of somebody's own."""

    parameter = torch.nn.Parameter(torch.ones(2))
    for native in (torch.ones(2), parameter, torch.ones(2).as_subclass(Mine)):
        assert machine.owner(native) == "TORCH"
    assert machine.owner(jnp.ones(2)) == "JAX"
    for other in (np.ones(2), [1], 1.5, "torch", torch.float32, torch, jax):
        assert machine.owner(other) is None
    said = children.run(
        """
        import sys
        from onebuf import machine
        assert machine.owner([1]) is None
        print("torch" in sys.modules, "jax" in sys.modules)
        """
    )
    assert said == "False False\n"


# -- bytes -----------------------------------------------------------------------------------------


def test_bytes_go_in_and_out_at_an_offset(driver):
    block = driver.put(np.zeros((2, 3), np.int32))
    driver.upload(np.array([7, 8], np.int32), block, 8).wait()
    out = np.empty(3, np.int32)
    driver.download(block, out, 4).wait()
    assert out.tolist() == [0, 7, 8]
    assert driver.get(block.memory).tolist() == [[0, 0, 7], [8, 0, 0]]
    for wrong in (-4, 24):
        with pytest.raises(ArgumentError, match="of a block that has"):
            driver.download(block, out, wrong)


def test_blocks_are_copied(driver):
    source, target = driver.put(np.arange(3, dtype=np.int16)), driver.allocator.allocate(8)
    driver.copy(source, target)
    out = np.empty(3, np.int16)
    driver.download(target, out)
    assert out.tolist() == [0, 1, 2]


def test_bytes_become_elements_when_somebody_says_of_which_dtype(driver):
    block = driver.allocator.allocate(12)
    driver.upload(np.array([1.5, 2.5, -1], np.float32), block)
    assert driver.get(driver.native(block, FLOAT, None)).tolist() == [1.5, 2.5, -1]
    driver.write(block, FLOAT, View((2,), (2,)), driver.put(np.zeros(2, np.float32)).memory)
    out = np.empty(3, np.float32)
    driver.download(block, out)
    assert out.tolist() == [0, 2.5, 0]


def test_tensors_that_are_not_row_major_have_row_major_bytes():
    driver, tensor = opened("TORCH"), torch.arange(6.0).reshape(2, 3).T
    block = driver.wrap(tensor)
    out = np.empty(6, np.float32)
    driver.download(block, out)
    assert out.tolist() == [0, 3, 1, 4, 2, 5]
    driver.upload(np.array([9], np.float32), block, 4)
    assert tensor.tolist() == [[0, 9], [1, 4], [2, 5]]


def test_memory_in_use_is_counted_and_comes_back(driver):
    gc.collect()
    start = driver.allocator.stats()
    x = driver.put(np.ones(1000))
    y = driver.compute(BINARY["add"], (x.memory, x.memory), None, (1000,), np.dtype(float))
    z = driver.allocator.allocate(100)
    assert driver.allocator.stats().in_use == start.in_use + 16100
    assert driver.allocator.stats().peak >= start.in_use + 16100
    y.free()
    del x, z
    assert driver.allocator.stats().in_use == start.in_use
    with pytest.raises(ExportError, match="freed"):
        driver.native(y, np.dtype(float))
    assert driver.allocator.trim() == 0
    with pytest.raises(ArgumentError, match="at least 0"):
        driver.allocator.allocate(-1)


def test_memory_that_is_shared_is_not_counted():
    driver = opened("TORCH")
    before = driver.allocator.stats().in_use
    block = driver.wrap(torch.ones(1000))
    assert driver.allocator.stats().in_use == before
    assert block.keeps is block.memory


def test_memory_that_is_not_there_is_an_error_and_nothing_else(driver):
    before = driver.allocator.stats().in_use
    with pytest.raises(OutOfMemory, match=f"{driver.library} could not compute full"):
        driver.compute(FULL, (), np.float64(1), (1 << 48,), np.dtype(float))
    assert driver.allocator.stats().in_use == before
    assert (
        on_library(driver, UNARY["negative"], (np.ones(2),), None, (2,), np.dtype(float))[0] == -1
    )


# -- refusals --------------------------------------------------------------------------------------


def test_gradients_are_not_lost_silently():
    with pytest.raises(ExportError, match=r"detach\(\)"):
        opened("TORCH").wrap(torch.ones(2, requires_grad=True))


@pytest.mark.parametrize("name", ["float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"])
def test_dtypes_that_nobody_else_has_are_refused(name):
    tensor = torch.zeros(2, dtype=torch.uint8).view(getattr(torch, name))
    with pytest.raises(DTypeError, match=f"got torch.{name}"):
        opened("TORCH").wrap(tensor)


def test_tensors_without_strides_and_on_other_devices_are_refused():
    driver = opened("TORCH")
    with pytest.raises(ExportError, match="to_dense"):
        driver.wrap(torch.ones(2, 2).to_sparse())
    with pytest.raises(DeviceError, match="got one on meta"):
        driver.wrap(torch.ones(2, device="meta"))
    with pytest.raises(ExportError, match="got ndarray"):
        driver.wrap(np.ones(2))


def test_jax_arrays_that_have_no_memory_are_refused():
    driver, gone = opened("JAX"), jnp.ones(2)
    gone.delete()
    with pytest.raises(ExportError, match="deleted or donated"):
        driver.wrap(gone)
    with pytest.raises(DTypeError, match="got key"):
        driver.wrap(jax.random.key(0))
    with pytest.raises(ExportError, match="got list"):
        driver.wrap([1])
    with pytest.raises(ExportError, match="outside of the function"):
        jax.jit(driver.wrap)(jnp.ones(2))


@pytest.mark.parametrize("name", ["TORCH:9", "JAX:9"])
def test_a_device_that_is_not_there_is_an_error(name):
    with pytest.raises(DeviceError, match=name):
        machine.device(name).driver


def test_what_a_library_cannot_compute_is_an_error_that_says_so(driver):
    x, y = (driver.put(np.ones(n)).memory for n in (3, 4))
    said = f"{driver.library} could not compute add of float64 and float64"
    with pytest.raises((DTypeError, DeviceError), match=said):
        driver.compute(BINARY["add"], (x, y), None, (3,), np.dtype(float))


# -- what is around --------------------------------------------------------------------------------


def test_jax_keeps_the_settings_of_its_user():
    driver = opened("JAX")
    block = driver.put(np.array([2**40 + 1, 1]))
    result = driver.compute(BINARY["add"], (block.memory,) * 2, None, (2,), np.dtype(np.int64))
    assert driver.get(result.memory).tolist() == [2**41 + 2, 2]
    assert not jax.config.jax_enable_x64
    assert jnp.ones(2).dtype == np.float32


def test_torch_computes_where_its_device_is_whatever_the_default():
    driver = opened("TORCH")
    with torch.device("meta"):
        block = driver.compute(FULL, (), np.float32(2), (3,), FLOAT)
        total = driver.compute(BINARY["add"], (block.memory,) * 2, None, (3,), FLOAT)
    assert driver.get(total.memory).tolist() == [4, 4, 4]


@pytest.mark.parametrize("kind", ["TORCH", "JAX"])
def test_a_missing_package_is_named_with_its_extra(kind):
    said = children.run(
        f"""
        import sys
        sys.modules["{kind.lower()}"] = None  # which is how imports are told that it is not there
        from onebuf import machine
        from onebuf.errors import MissingPackage

        for ask in (
            lambda: machine.device("{kind}").driver,
            lambda: __import__("onebuf.backends.libraries.{kind.lower()}"),
        ):
            try:
                ask()
            except MissingPackage as error:
                print(error)
        """
    ).splitlines()
    assert len(said) == 2
    for line in said:
        assert f"{kind.lower()!r}, which is not installed" in line
        assert f"pip install 'onebuf[{kind.lower()}]'" in line


@pytest.mark.parametrize("kind", ["TORCH", "JAX"])
def test_a_child_process_is_told_that_it_cannot_go_on(kind):
    said = children.run(
        f"""
        import os, warnings
        warnings.simplefilter("ignore")  # jax has one of its own about threads
        from onebuf import machine
        machine.device("{kind}").driver
        pid = os.fork()
        if not pid:
            try:
                machine.device("{kind}").driver
            except Exception as error:
                print(type(error).__name__, "spawn" in str(error), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        """
    )
    assert said == "DeviceError True\n"
