"""Function-scoped fixtures, parameters, and shelves that threads share."""

import pytest

from depot.running import in_threads
from depot.shelves import NotThere, Registry, Shelf, Visits


def test_put(shelf):
    shelf.put("tea")
    assert shelf.goods == {"tea": 1}


@pytest.mark.parametrize("number", [0, -1])
def test_put_too_few(shelf, number):
    with pytest.raises(ValueError, match=f"{number} of tea"):
        shelf.put("tea", number)


def test_take(shelf):
    shelf.put("tea", 2)
    assert shelf.take("tea") == "tea"
    assert len(shelf) == 1


def test_shelves_with_the_same_goods_are_equal():
    assert Shelf("left") == Shelf("left")
    assert repr(Shelf("left")) == "Shelf(name='left', goods={})"


@pytest.mark.parametrize("names", [("tea", "tea"), ("tea", "coffee")], ids="-".join)
def test_put_by_threads(shelf, names):
    in_threads(*[lambda name=name: shelf.put(name) for name in names])
    assert len(shelf) == 2


def test_only_one_thread_takes_the_last(shelf):
    shelf.put("tea")
    taken = []

    def take():
        try:
            taken.append(shelf.take("tea"))
        except NotThere:
            taken.append(None)

    in_threads(take, take)
    assert sorted(taken, key=str) == [None, "tea"]


class TestVisits:
    @pytest.fixture(autouse=True)
    def _visits(self):
        self.visits = Visits()

    def test_one(self):
        self.visits.count()
        assert self.visits.total == 1

    def test_safely(self):
        in_threads(self.visits.count_safely, self.visits.count_safely)
        assert self.visits.total == 2

    def test_lost(self):  # a lost update
        in_threads(self.visits.count, self.visits.count)
        assert self.visits.total == 2


@pytest.fixture(scope="module")
def registry():
    registry = Registry()
    registry.shelf("shared")
    yield registry
    assert registry.made["shared"] == 1


def test_registry_of_the_module(registry):
    assert registry.shelf("shared") is registry.shelf("shared")


def test_threads_share_the_registry_of_the_module(registry):
    found = []
    in_threads(*[lambda: found.append(registry.shelf_safely("new"))] * 2)
    assert found[0] is found[1]
    assert registry.made["new"] == 1


def test_made_twice():  # checks, and then acts
    registry = Registry()
    in_threads(*[lambda: registry.shelf("new")] * 2)
    assert registry.made == {"new": 1}
