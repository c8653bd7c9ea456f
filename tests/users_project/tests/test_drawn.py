"""Hypothesis, and the fixture `subtests`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from depot import Shelf
from depot.running import in_threads
from depot.shelves import Visits

names = st.lists(st.sampled_from(["tea", "coffee"]), max_size=3)


@given(names)
def test_drawn_goods(names):
    shelf = Shelf("left")
    for name in names:
        shelf.put(name)
    assert len(shelf) == len(names)


@settings(max_examples=10)
@given(number=st.integers(1, 5))
def test_drawn_numbers_by_threads(number):
    shelf = Shelf("left")
    in_threads(*[lambda: shelf.put("tea", number)] * 2)
    assert len(shelf) == 2 * number


@settings(max_examples=10)
@given(st.booleans())
def test_drawn_and_lost(is_twice):  # a lost update, if it is twice
    visits = Visits()
    in_threads(*[visits.count] * (1 + is_twice))
    assert visits.total == 1 + is_twice


def test_subtests(subtests, catalogue):
    for name, number in catalogue.items():
        with subtests.test(name=name):
            assert number > 0


def test_subtests_with_threads(subtests, shelf):
    for name in ("tea", "coffee"):
        with subtests.test(name=name):
            in_threads(*[lambda name=name: shelf.put(name)] * 2)
            assert shelf.goods[name] == 2
