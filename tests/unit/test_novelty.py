"""Executions that are likely to fail are run first, once for each pair of places, and the search says so; none is lost
by it."""

from __future__ import annotations

from tests.oracle.language import Assert, Read, Set, SmallProgram, While, Write
from tests.oracle.program import OracleProgram

from mazurka.causal.history import INITIAL
from mazurka.explore.explorer import Explorer
from mazurka.explore.guidance.novelty import CoverageHeuristic
from mazurka.explore.outcome import Verified
from mazurka.program.protocol import Step
from mazurka.trace.event import Op

_LOG = [
    Step(0, Op.WRITE, ("a", 1, "x"), 10, True),
    Step(1, Op.READ, ("a", 1, "x"), 20, True),
    Step(1, Op.ACQUIRE, ("lock", 1), 21, True),
]


def test_a_pair_of_places_is_promised_once() -> None:
    novelty = CoverageHeuristic()
    assert novelty.promises(_LOG, 1, [(("a", 1, "x"), 0)])
    assert not novelty.promises(_LOG, 1, [(("a", 1, "x"), 0)])
    assert novelty.promises(_LOG, 1, [(("a", 1, "x"), INITIAL)])
    assert not novelty.promises(_LOG, 1, [(("a", 2, "x"), INITIAL)]), "the number of an object means nothing"


def test_locks_and_what_the_log_does_not_show_promise_nothing() -> None:
    novelty = CoverageHeuristic()
    assert not novelty.promises(_LOG, 2, [(("lock", 1), INITIAL)])
    assert not novelty.promises(_LOG, -1, [(("a", 1, "x"), 0)])
    assert not novelty.promises(_LOG, 1, [(("a", 1, "x"), len(_LOG))])


def _slow_to_fail() -> SmallProgram:
    """Many answers for ``x``, and one read of ``p`` while it is unset."""
    noise = (Set("n", "1"), While("n < 4", (Write("x", "n"), Set("n", "n + 1")), bound=3))
    reader = (While("a >= 0", (), bound=3, before=(Read("a", "x"),)), Read("c", "p"), Assert("c == 1"))
    return SmallProgram(threads=(noise, reader, (Write("p", "0"), Write("p", "1"))), initial={"p": 1})


def test_a_failure_that_was_predicted_is_told_to_be() -> None:
    explorer = Explorer(OracleProgram(_slow_to_fail()), "mcr")
    outcome = explorer.run()
    foretold = explorer.strategy.guidance.foretold  # type: ignore[attr-defined]  # of this strategy only
    assert outcome.executions == foretold.confirmed_by
    assert 1 <= foretold.predicted_by < foretold.confirmed_by
    assert foretold.ahead
    assert any(f"ahead of {foretold.ahead}" in note for note in outcome.notes)


def test_a_search_with_promises_comes_to_its_end() -> None:
    program = _slow_to_fail()
    noise, (*reader, _), last = program.threads
    program = SmallProgram((noise, tuple(reader), last), initial={"p": 1})
    outcome = Explorer(OracleProgram(program), "mcr").run()
    assert isinstance(outcome.verdict, Verified)
    assert not any("predicted" in note for note in outcome.notes)
