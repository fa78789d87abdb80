"""Views: the same elements in other shapes and orders, whatever is done with them then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract, numpys
from onebuf.testing.strategies import ALL, LOOKS, elements, looks, seeds


class ViewsContract(Contract):
    """What views on a device have to do."""

    def test_any_chain_of_views_shows_what_numpys_shows(self) -> None:
        @self.for_all(looks(), seeds)
        def check(look: Any, seed: int) -> None:
            array = elements("int32", look.shape, seed)
            seen = look.buffer(self.send(array))
            assert seen.shape == look.array(array).shape
            assert_same(self.fetch(seen), look.array(array), str(look))

    def test_any_chain_of_views_can_be_computed_with(self) -> None:
        @self.for_all(looks(), seeds)
        def check(look: Any, seed: int) -> None:
            array = elements("int32", look.shape, seed)
            seen, wanted = look.buffer(self.send(array)), look.array(array)
            assert_same(self.fetch(seen * 2 - seen), numpys("positive", wanted), str(look))

    def test_views_of_what_is_still_to_be_computed(self) -> None:
        @self.for_all(looks(), seeds)
        def check(look: Any, seed: int) -> None:
            array = elements("int32", look.shape, seed)
            seen = look.buffer(self.send(array) + 1)
            assert_same(self.fetch(seen), look.array(numpys("add", array, np.int32(1))), str(look))

    def test_two_views_of_the_same_elements_meet(self) -> None:
        x = np.arange(12, dtype=np.int32).reshape(3, 4)
        y = self.send(x)
        assert_same(self.fetch(y[:, ::2] + y[:, 1::2]), x[:, ::2] + x[:, 1::2])
        assert_same(self.fetch(y[::-1] * y), x[::-1] * x)
        assert_same(self.fetch(y[:3, :3] - y[:3, :3].T), x[:3, :3] - x[:3, :3].T)

    def test_views_share_the_memory(self) -> None:
        x = self.send(np.arange(12).reshape(3, 4))
        start = self.in_use()
        views = [x[1:], x.T, x[::-1, ::2], x.reshape(4, 3), x[:1].expand(3, 4), x[0].squeeze()]
        onebuf.realize(*views)
        assert self.in_use() == start
        assert all(view.is_view and view.base is x for view in views)

    @pytest.mark.parametrize("name", ALL)
    def test_every_dtype_has_views(self, name: str) -> None:
        array = elements(name, (4, 6))
        with self.allowing(name):
            x = self.send(array)
            for look in LOOKS if name in ("int32", "float32") else LOOKS[1:2]:
                assert_same(self.fetch(look(x)), look(array), name)
                assert_same(self.fetch(look(x).copy()), look(array), name)

    def test_many_axes(self) -> None:
        array = np.arange(2 * 3 * 2 * 1 * 2 * 3, dtype=np.int32).reshape(2, 3, 2, 1, 2, 3)
        turned = self.send(array).permute(5, 3, 1, 0, 4, 2)
        wanted = array.transpose(5, 3, 1, 0, 4, 2)
        assert_same(self.fetch(turned), wanted)
        assert_same(
            self.fetch(turned[::-1, :, 1:] + turned[:, :, 1:]),
            wanted[::-1, :, 1:] + wanted[:, :, 1:],
        )

    def test_windows_and_diagonals(self) -> None:
        array = np.arange(20, dtype=np.int32).reshape(4, 5)
        x = self.send(array)
        assert_same(self.fetch(x.diagonal()), array.diagonal())
        assert_same(self.fetch(x.diagonal(1) * 2), array.diagonal(1) * 2)
        windows = np.lib.stride_tricks.sliding_window_view(array, 3, axis=1)
        assert_same(self.fetch(x.sliding_window(3)), windows)
        assert_same(self.fetch(x.sliding_window(3).sum(axis=-1)), windows.sum(axis=-1))

    def test_an_index_outside_is_an_error(self) -> None:
        x = self.send(np.arange(12).reshape(3, 4))
        for key in (3, -4, (0, 4), (0, 0, 0)):
            with pytest.raises(IndexError):
                x[key]
