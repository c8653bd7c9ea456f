"""Examples of the papers on unfoldings: their events, conflicts and complete configurations."""

from __future__ import annotations

from tests.oracle.drive import reach
from tests.oracle.language import If, Lock, Notify, Read, SmallProgram, Unlock, Wait, Write
from tests.oracle.program import OracleProgram

from mazurka.explore.races import Execution
from mazurka.program.protocol import Plan
from mazurka.unfold.events import Configuration, Unfolding, UnfoldingEvent
from mazurka.unfold.extensions import events_of, extensions_of
from mazurka.unfold.strategy import UnfoldingSearch

#: Rodríguez, Sousa, Sharma, Kroening: Unfolding-based partial order reduction (CONCUR 2015), fig. 1.
_WRITER_AND_READERS = SmallProgram(((Write("x", "5"),), (Read("a", "x"),), (Read("b", "x"),)))

#: POR-SE, section 2 and fig. 2, without the branch on an unknown input: a thread that waits for another's signal.
_WAITER = SmallProgram(
    (
        (Lock("m"), Read("a", "y"), If("a == 0", (Wait("c"),)), Unlock("m")),
        (Lock("m"), Write("y", "1"), Notify("c"), Unlock("m")),
    ),
    conditions={"c": "m"},
)


def _events(program: SmallProgram, unfolding: Unfolding, *prefix: str) -> tuple[Execution, list[UnfoldingEvent]]:
    execution = Execution(OracleProgram(program).execute(Plan(prefix)))
    return execution, events_of(execution, unfolding)


def test_a_writer_and_two_readers() -> None:
    """Each reader comes before the write or after it. The write has four histories, a read three: none, the write, and
    the write after the other reader."""
    reached = reach(_WRITER_AND_READERS, UnfoldingSearch)
    assert reached.executions == reached.strategy.tree.explored == 4
    assert reached.strategy.unfolding.met == 4 + 3 + 3


def test_events_with_equal_causes_are_one() -> None:
    """Canonical names (POR-SE, section 3.5): the first reader's event is the same in the executions in which it comes
    before the write, wherever the second reader is."""
    unfolding = Unfolding()
    _, first = _events(_WRITER_AND_READERS, unfolding, "0.2", "0.3", "0.1")
    _, second = _events(_WRITER_AND_READERS, unfolding, "0.2", "0.1", "0.3")
    _, third = _events(_WRITER_AND_READERS, unfolding, "0.1", "0.2", "0.3")
    assert first[0] is second[0]
    assert first[2] is not second[1]  # the write has one reader in its history, or both
    assert third[1] is not first[0]
    assert second[1].has_before(second[0])
    assert not third[0].has_before(third[1])


def test_conflicting_extensions_are_in_no_configuration_with_the_event() -> None:
    """Section 3.6: extensions of a configuration that are not enabled in it."""
    unfolding = Unfolding()
    execution, events = _events(_WRITER_AND_READERS, unfolding, "0.1", "0.2", "0.3")
    found = extensions_of(execution, events, unfolding)
    assert {(each.event.thread, each.first) for each in found} == {("0.2", events[0]), ("0.3", events[0])}
    configuration = Configuration(events)
    for each in found:
        assert not each.event.past
        assert configuration.to_reach(each.event) is None
        assert Configuration().to_reach(each.event) == [each.event]


def test_a_signal_is_lost_or_wakes_the_waiter() -> None:
    """Section 3.1: two runs for each sign of the input, of which there are two."""
    reached = reach(_WAITER, UnfoldingSearch)
    assert reached.executions == reached.strategy.tree.explored == 2
    assert not reached.everything.deadlocks


def test_the_second_half_of_a_wait_comes_after_the_signal() -> None:
    """Appendix F.2: an acquire, and an acquire after a wake-up, have the thread's own history, and for the latter the
    notification's, in any extension."""
    unfolding = Unfolding()
    execution, events = _events(_WAITER, unfolding, "0.1", "0.1", "0.2")
    again = next(event for event in events if event.thread == "0.1" and event.ordinal == 3)
    locked = next(event for event in events if event.thread == "0.2" and event.ordinal == 1)
    assert again.has_before(locked)
    assert {each.first.thread for each in extensions_of(execution, events, unfolding)} == {"0.1"}
