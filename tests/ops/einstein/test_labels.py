"""Labels read from text: what they are, and what is said of a text that has none."""

import pytest

from onebuf.errors import LabelError, ShapeError
from onebuf.ops.einstein.labels import extents_of, labels_for, parse


@pytest.mark.parametrize(
    "text, labels",
    [
        ("i", ("i",)),
        ("i,j", ("i", "j")),
        ("i, jk, l", ("i", "jk", "l")),
        ("  i ,\tj\n", ("i", "j")),
        ("ij", ("ij",)),
        ("i,i", ("i", "i")),
        ("", ()),
        ("  ", ()),
        ("i',p1,mu_2,é,0", ("i'", "p1", "mu_2", "é", "0")),
    ],
)
def test_commas_separate_labels_and_spaces_around_them_are_ignored(text, labels):
    assert parse(text) == labels


@pytest.mark.parametrize("text, place", [(",", 0), ("i,", 1), (",i", 0), ("i,,j", 1), ("i, ,j", 1)])
def test_an_empty_label_is_an_error_that_says_which(text, place):
    with pytest.raises(LabelError, match=f"label {place} of .* is empty"):
        parse(text)


@pytest.mark.parametrize("text", ["i j", "i,j->i", "...", "i,j;k", "i.j", "[i]"])
def test_a_label_is_a_word(text):
    with pytest.raises(LabelError, match="a label needs letters") as caught:
        parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["ij", "i", "i,j,k", ""])
def test_every_axis_needs_one_label(text):
    with pytest.raises(LabelError, match=r"each of the 2 axes of shape \(2, 3\)"):
        labels_for(text, (2, 3))


def test_letters_without_commas_are_told_apart_in_the_message():
    with pytest.raises(LabelError, match="write 'i,j'"):
        labels_for("ij", (2, 3))


def test_a_label_that_comes_twice_needs_one_extent():
    assert extents_of(("i", "j", "i"), (2, 3, 2)) == {"i": 2, "j": 3}
    with pytest.raises(ShapeError, match=r"'i' has 2 and 4 of a tensor of shape \(2, 3, 4\)"):
        extents_of(("i", "j", "i"), (2, 3, 4))


def test_an_error_of_labels_is_an_error_of_indices_and_of_values():
    assert issubclass(LabelError, IndexError)
    assert issubclass(LabelError, ValueError)
