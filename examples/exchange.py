"""Memory exchange: NumPy, memoryview and onebuf on the same bytes."""

import numpy as np

import onebuf

array = np.array([1, 2, 3, 4])
buffer = onebuf.asarray(array)
print("a buffer on NumPy's memory:", buffer)

array[0] = 10
print("NumPy wrote, the buffer sees it:", buffer)
buffer[1] = 20
print("the buffer wrote, NumPy sees it:", array)

view = buffer.data
print("\nas a memoryview:", view.format, view.itemsize, view.nbytes, view.tolist())
print("its first eight bytes:", view.cast("B")[:8].tolist())
view[2] = 30
print("the memoryview wrote:", buffer)

back = np.asarray(buffer)
print("\nback in NumPy, at the same address:", back.ctypes.data == array.ctypes.data)

try:
    onebuf.asarray(array, dtype="float32", copy=False)
except onebuf.errors.CopyError as error:
    print("a copy nobody wanted is not made:", error)
