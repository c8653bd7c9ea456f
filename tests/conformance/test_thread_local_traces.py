"""FIG. 14 of the patent on properties: waits and notifications of which only the order within each thread is known, and
programs like it, as per-thread logs (CSV files).

A log's events are named as in the figure: T1 and T2 wait (x1 to x5, y1 to y5) and T3 notifies (z1 to z3), all in
sections of the lock l; the wait is three events (x2, x3, x4).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.thread_logs import Orders

from mazurka.api import predict
from mazurka.causal.thread_logs import Merged, merged
from mazurka.errors import MazurkaError
from mazurka.predict.property_search import PropertySearch
from mazurka.properties.parsing import parsed
from mazurka.trace.thread_logs import read_thread_logs
from mazurka.witness import Witness

_WAITS = ("acquire l", "wait c", "release l", "acquire l", "release l")
_NOTIFIES = ("acquire l", "notify c", "release l")


def logs(folder: Path, *threads: tuple[str, ...]) -> Path:
    """A folder with a log of each thread, T1 and so on; an event is an operation, a target and perhaps a value."""
    place = folder / "logs"
    place.mkdir()
    for number, events in enumerate(threads, 1):
        rows = [f"T{number},{','.join([*event.split(), ''][:3])},{number}:{n}" for n, event in enumerate(events, 1)]
        (place / f"{number}.csv").write_text("\n".join(["thread,op,target,value,location", *rows, ""]))
    return place


def order_of(folder: Path, *threads: tuple[str, ...]) -> str | None:
    """The order found, as the names of events (x1, y1, z1, ...); None if there is none, by the oracle, too."""
    read = read_thread_logs(logs(folder, *threads))
    expected = bool(Orders(read).reliable())
    try:
        made: Merged = merged(read)
    except MazurkaError as error:
        assert error.slug == "trace-unordered"
        assert not expected
        return None
    assert expected
    places = [str(read.locations[int(read.site[row])]).split(":") for row in made.rows.tolist()]
    return " ".join(f"{'xyzu'[int(thread) - 1]}{number}" for thread, number in places)


def test_one_notification_ends_one_wait(tmp_path: Path) -> None:
    """FIG. 14: the constraints for the two waits contradict those of the lock."""
    assert order_of(tmp_path, _WAITS, _WAITS, _NOTIFIES) is None


def test_the_other_thread_waits_for_ever(tmp_path: Path) -> None:
    order = order_of(tmp_path, _WAITS, _WAITS[:3], _NOTIFIES)
    assert order is not None
    assert order.index("x3") < order.index("z1") < order.index("z3") < order.index("x4")


def test_a_notification_of_all_ends_both(tmp_path: Path) -> None:
    order = order_of(tmp_path, _WAITS, _WAITS, ("acquire l", "notify_all c", "release l"))
    assert order is not None
    assert order.index("x3") < order.index("z1")
    assert order.index("y3") < order.index("z1")


def test_two_notifications_end_two_waits(tmp_path: Path) -> None:
    assert order_of(tmp_path, _WAITS, _WAITS, _NOTIFIES * 2) is not None


def test_two_notifications_while_both_wait(tmp_path: Path) -> None:
    """Both are notified in one section: the constraints of the patent, by which the other wait is over or comes later,
    have no solution."""
    both = ("acquire l", "notify c", "notify c", "release l")
    assert order_of(tmp_path, _WAITS, _WAITS, both) is not None


def test_a_notification_of_another_condition(tmp_path: Path) -> None:
    assert order_of(tmp_path, _WAITS, ("acquire l", "notify d", "release l")) is None


def test_a_notification_that_comes_before(tmp_path: Path) -> None:
    """T2 notifies only before it writes the value that T1 has read before it waits: the notification is lost."""
    assert order_of(tmp_path, ("write x 0", "read x 1", *_WAITS), (*_NOTIFIES, "write x 1")) is None


def test_notifications_of_both_kinds(tmp_path: Path) -> None:
    threads = (_WAITS, _WAITS, _WAITS, ("acquire l", "notify c", "release l", "acquire l", "notify_all c", "release l"))
    assert order_of(tmp_path, *threads) is not None


_USE = """
property early(o):
    event use(o): call use(o)
    event make(o): call make(o)
    pattern: use(t1) make(t2)
"""


@pytest.mark.parametrize(("after", "found"), [(True, 0), (False, 1)])
def test_violations_with_a_wait(tmp_path: Path, after: bool, found: int) -> None:
    """T1 uses an object that T2 makes: after its wait, which only the notification after that ends, or before."""
    use = ("point early.use(1)",)
    waits = (*_WAITS, *use) if after else (*use, *_WAITS)
    read = read_thread_logs(logs(tmp_path, waits, ("point early.make(1)", *_NOTIFIES)))
    made = merged(read)
    (stated,) = parsed(_USE)
    search = PropertySearch(made.trace, stated.stated)
    answers = [search.decide(candidate) for several in search.groups().values() for candidate in several]
    assert sum(isinstance(answer, Witness) for answer in answers) == found


def test_races_of_logs(tmp_path: Path) -> None:
    """The race of the two writes, whichever file is first; the events are numbered as in the files."""
    folder = logs(tmp_path, ("acquire l", "write x 1", "release l"), ("write x 2", "read x 2"))
    report = predict(folder, per_thread=True)
    places = {tuple(sorted(event.number for event in finding.events)) for finding in report.findings}
    assert (1, 3) in places


def test_kinds_that_need_an_order(tmp_path: Path) -> None:
    with pytest.raises(MazurkaError, match="order"):
        predict(logs(tmp_path, ("write x 1",)), per_thread=True, kinds=("order-violation",))


def test_values_are_needed(tmp_path: Path) -> None:
    with pytest.raises(MazurkaError, match="values"):
        predict(logs(tmp_path, ("write x",), ("read x",)), per_thread=True)


def test_a_thread_in_two_logs(tmp_path: Path) -> None:
    folder = logs(tmp_path, ("write x 1",), ("read x 1",))
    (folder / "3.csv").write_text((folder / "1.csv").read_text())
    with pytest.raises(MazurkaError, match="T1"):
        predict(folder, per_thread=True)


def test_initial_values(tmp_path: Path) -> None:
    """Each thread reads what the other one writes, first: one of them read an initial value, and it may be either."""
    with pytest.raises(MazurkaError, match="initial"):
        predict(logs(tmp_path, ("read x 0", "write x 1"), ("read x 1", "write x 0")), per_thread=True)


def test_numbered_updates(tmp_path: Path) -> None:
    order = order_of(tmp_path, ("rmw n #2", "rmw n #3"), ("rmw n #1", "read n #2"))
    assert order == "y1 x1 y2 x2"
