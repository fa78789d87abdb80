"""What goes wrong around the device: each in a process of its own, which must neither hang nor
abort."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def ran(program: str, **environment: str) -> str:
    """What a program prints."""
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_without_a_driver_the_error_says_what_to_install(tmp_path):
    program = """
import onebuf
for call in (lambda: onebuf.device("OPENCL").driver, lambda: onebuf.devices("OPENCL")):
    try:
        call()
    except onebuf.errors.DeviceError as error:
        print(error)
"""
    text = ran(
        program, OCL_ICD_VENDORS=str(tmp_path / "none.icd"), OPENCL_VENDOR_PATH=str(tmp_path)
    )
    assert text.count("OPENCL needs a driver with a device") == 2
    assert "pip install 'onebuf[opencl]'" in text


def test_without_the_package_the_error_names_its_extra():
    program = """
import sys
sys.modules["pyopencl"] = None
import onebuf
try:
    onebuf.device("OPENCL").driver
except onebuf.errors.MissingPackage as error:
    print(error)
"""
    assert "pip install 'onebuf[opencl]'" in ran(program)


def test_a_text_that_is_refused_is_an_error_with_the_log():
    program = """
import onebuf
driver = onebuf.device("OPENCL").driver
try:
    driver.cl_device.programs.kernel("__kernel void f() { int x = ; }", "f")
except onebuf.errors.CompileError as error:
    print("expected expression" in str(error), "int x = ;" in str(error))
x = onebuf.Buffer([1.0, 2.0]).to_device("OPENCL")
print((x + 1).to_device("CPU").tolist())
"""
    assert ran(program) == "True True\n[2.0, 3.0]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_child_process_is_told_that_it_cannot_go_on():
    program = """
import os, onebuf
x = onebuf.Buffer([1.0, 2.0]).to_device("OPENCL")
(x + 1).realize()
if os.fork() == 0:
    for name in ("OPENCL", "OPENCL@1", "OPENCL:1"):
        try:
            onebuf.device(name).driver
        except onebuf.errors.DeviceError as error:
            print("forked" in str(error))
    del x
    os._exit(0) if not print(end="", flush=True) else None
os.wait()
print((x + 1).to_device("CPU").tolist())
"""
    text = ran(program, POCL_DEVICES="pthread pthread")
    assert text.count("True\n") == 3
    assert text.endswith("[2.0, 3.0]\n")


def test_importing_onebuf_imports_no_opencl():
    program = "import sys, onebuf; print('pyopencl' in sys.modules)"
    assert ran(program) == "False\n"
