"""Strided buffers: flat storage seen in many shapes."""

from onebuf import Buffer, DType

buffer = Buffer.zeros((3, 3), dtype=DType.float32)
buffer = buffer + 5.0
buffer[1, 1] = 10.0
print("a buffer:")
print(buffer)

flat = buffer.reshape((9,))
print("\nflat, on the same storage:", flat)
print("summed along axis 0:", buffer.sum(axes=(0,)))
print("as Python numbers:", buffer.to_python())

print("\nshape, stride and offset of")
views = {
    "the buffer": buffer,
    "its transpose": buffer.T,
    "its last two rows": buffer[1:],
    "every other column": buffer[:, ::2],
    "the rows upside down": buffer.flip(0),
    "the first row, four times": buffer[:1].expand((4, 3)),
}
for name, view in views.items():
    print(f"  {name:26}", view.shape, view.stride, view.offset)

flat[0] = -1.0
print("\nafter a write through the flat one, the transpose starts with", buffer.T[0, 0].item())
