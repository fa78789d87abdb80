"""Writes to buffers that an on-demand expression reads: it shows them, earlier results do not."""

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, on_demand
from onebuf.errors import OutOfMemory

HUGE = (10**6, 10**6)


@pytest.fixture(params=["interpret", "compile", "auto"], autouse=True)
def tier(request):
    with onebuf.config(tier=request.param):
        yield request.param


@pytest.fixture
def values():
    return onebuf.asarray(np.arange(5.0))


def test_an_expression_shows_the_present_content(values):
    x = on_demand((3, 5), lambda i, j: values + i)
    values[1] = 70.0
    assert x[2].tolist() == [2, 72, 4, 5, 6]
    values += 1
    assert (x * 2)[0].tolist() == [2, 142, 6, 8, 10]


def test_what_was_computed_from_it_before_does_not_change(values):
    x = on_demand((3, 5), lambda i, j: values + i)
    y, total, part = x * 2, (x + 1).sum(), x[1, 1:3] + 0
    values[1] = 70.0
    assert y[0].tolist() == [0, 2, 4, 6, 8]
    assert total.item() == 30 + 15 + 15
    assert part.tolist() == [2, 3]
    assert x[1, 1:3].tolist() == [71, 3]


def test_results_of_a_huge_one_are_computed_before_a_write(values):
    x = on_demand(HUGE, lambda i, j: values[j % 5] + i)
    total, corner = (x[:100, :100] * 2).sum(), (x * 3)[:2, :2] + 0
    values[0] = -1.0
    rows, columns = np.arange(100.0)[:, None], np.arange(100) % 5
    assert total.item() == (2 * (columns + rows)).sum()
    assert corner.tolist() == [[0, 3], [3, 6]]
    assert x[0, 0].item() == -1


def test_a_huge_result_that_is_still_held_is_lost_and_says_so(values):
    x = on_demand(HUGE, lambda i, j: values[j % 5] + i)
    y = x * 2
    assert y[3, 4].item() == 14
    values[0] = -1.0
    with pytest.raises(OutOfMemory):
        y[3, 4].item()
    assert (x * 2)[0, 0].item() == -2


def test_a_buffer_without_memory_is_seen_once_it_has_some():
    zeros = onebuf.zeros((5,))
    x = on_demand((2, 5), lambda i, j: zeros + j)
    before = x * 2
    zeros[2] = 70.0
    assert x[1].tolist() == [0, 1, 72, 3, 4]
    assert before[1].tolist() == [0, 2, 4, 6, 8]


def test_what_the_function_computes_without_an_index_is_computed_once(values):
    x = on_demand((2, 5), lambda i, j: values * 10 + values.sum() + i)
    values[0] = 70.0
    assert x[1].tolist() == [11, 21, 31, 41, 51]


def test_views_of_a_buffer_show_writes_through_it(values):
    x = on_demand((2, 2), lambda i, j: values[1::2] + i)
    values[3] = 70.0
    assert x.tolist() == [[1, 70], [2, 71]]


def test_writes_reach_through_nested_expressions(values):
    x = on_demand((2, 5), lambda i, j: values + i)
    y = on_demand((2, 5), lambda i, j: x * 10 + j)
    before = y + 0
    values[0] = 7.0
    assert y[:, 0].tolist() == [70, 80]
    assert before[:, 0].tolist() == [0, 10]


def test_a_copy_is_separate_from_foreign_writes(values):
    array = np.arange(5.0)
    shared = Buffer(array)
    x = on_demand((2, 5), lambda i, j: shared + i)
    made = x.copy()
    array[0] = 9.0
    assert x[0, 0].item() == 9
    assert made[0, 0].item() == 0
    ours = on_demand((2, 5), lambda i, j: values + i)
    made = ours.copy()
    np.asarray(values)[0] = 9.0
    assert made[0, 0].item() == 0


def test_the_function_keeps_what_it_reads_alive():
    def make():
        values = onebuf.asarray(np.arange(3.0))
        return on_demand((2, 3), lambda i, j: values + i)

    x = make()
    (onebuf.asarray(np.full(3, 99.0)) + 1).realize()
    assert x.tolist() == [[0, 1, 2], [1, 2, 3]]


def test_an_error_while_an_expression_is_made_changes_nothing(values):
    with onebuf.config(eager_numel=0):
        pending = values * 2
        with pytest.raises(ZeroDivisionError):
            on_demand((2, 5), lambda i, j: pending + i / (1 // 0))
    assert not pending.is_realized
    values[0] = 3.0
    assert pending.tolist() == [0, 2, 4, 6, 8]
