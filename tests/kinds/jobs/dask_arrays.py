"""Distributed buffers and arrays of dask.array, on the same workers."""

import dask.array
import numpy as np

import onebuf

if __name__ == "__main__":
    with onebuf.runtime("dask", places=2) as opened:
        table = np.arange(48.0).reshape(8, 6)
        x = onebuf.asarray(table).distribute(tiles=(2, 6))
        array = (x * 2).to_dask()
        assert array.chunks == ((2, 2, 2, 2), (6,))
        assert opened.engine.client.compute((array + 1).sum()).result() == (table * 2 + 1).sum()
        part = x[1:4, ::2].to_dask()
        assert np.array_equal(opened.engine.client.compute(part).result(), table[1:4, ::2])
        blocks = dask.array.from_array(table, chunks=(3, 4)) + 1
        y = onebuf.DistributedBuffer.from_dask(blocks)
        assert y.tiles.axes == ((3, 3, 2), (4, 2))
        assert np.array_equal((y * 2).to_local(), (table + 1) * 2)
        try:
            x.local_buffer()
        except onebuf.errors.DeviceError as error:
            print("to_local" in str(error))
