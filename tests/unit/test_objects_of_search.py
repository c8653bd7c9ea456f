"""Which objects of two runs are one, by what threads have read when they touch them."""

from __future__ import annotations

from typing import Any

from mazurka.causal.history import History
from mazurka.explore.reads_from.objects import Objects, is_absent
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECTS

A, B, C, D = (thread * OBJECTS + 1 for thread in (1, 2, 3, 4))


def _history(*steps: tuple[int, Op, tuple[Any, ...]]) -> History:
    """The run of two threads with these steps."""
    return History(["0", "0.1"], [(task, op, target, 0, True, None, ()) for task, op, target in steps])


def test_the_order_of_first_touches_makes_no_difference() -> None:
    objects = Objects()
    one = objects.of(_history((0, Op.READ, ("a", A, "x")), (1, Op.READ, ("a", B, "x"))))
    other = objects.of(_history((1, Op.READ, ("a", A, "x")), (0, Op.READ, ("a", B, "x"))))
    assert one.named(("a", A, "x")) == other.named(("a", B, "x"))
    assert one.named(("a", B, "x")) == other.named(("a", A, "x"))
    assert one.named(("a", A, "x")) != one.named(("a", B, "x"))
    assert other.here(one.named(("a", A, "x"))) == ("a", B, "x")
    assert other.here(one.named(("s", -A))) == ("s", -B)  # its dictionary
    assert not objects.contradicted


def test_after_other_writes_it_is_another_object() -> None:
    objects = Objects()
    first = objects.of(_history((0, Op.READ, ("g", "m", "x")), (0, Op.RMW, ("s", A))))
    second = objects.of(_history((1, Op.WRITE, ("g", "m", "x")), (0, Op.READ, ("g", "m", "x")), (0, Op.RMW, ("s", A))))
    assert is_absent(second.here(first.named(("s", A))))


def test_a_run_shows_two_objects_to_be_one() -> None:
    objects = Objects()
    first = objects.of(_history((0, Op.READ, ("a", A, "x"))))
    second = objects.of(_history((1, Op.READ, ("a", A, "x"))))
    assert is_absent(first.here(second.named(("a", A, "x"))))
    objects.of(_history((0, Op.READ, ("a", B, "x")), (1, Op.READ, ("a", B, "x"))))
    assert objects.united == 1
    assert first.named(("a", A, "x")) == second.named(("a", A, "x"))
    assert first.here(second.named(("a", A, "x"))) == ("a", A, "x")


def test_one_object_of_a_search_is_no_two_of_a_run() -> None:
    objects = Objects()
    objects.of(_history((0, Op.READ, ("a", A, "x")), (1, Op.READ, ("a", A, "x"))))
    objects.of(_history((0, Op.READ, ("a", A, "x")), (1, Op.READ, ("a", B, "x"))))
    assert objects.contradicted


def test_keys_of_objects_have_names_too() -> None:
    objects = Objects()
    one = objects.of(_history((0, Op.READ, ("i", A, ("object", B)))))
    other = objects.of(_history((0, Op.READ, ("i", C, ("object", D)))))
    assert other.here(one.named(("i", A, ("object", B)))) == ("i", C, ("object", D))
    assert one.named(("g", "m", "x")) == ("g", "m", "x")


def test_a_guess_is_confirmed_by_a_run_that_shows_both_objects() -> None:
    objects = Objects()
    first = objects.of(_history((0, Op.RMW, ("s", A))))
    second = objects.of(_history((1, Op.RMW, ("s", A))))
    elsewhere = second.here(first.named(("s", A)))
    guesses = second.guesses(elsewhere, ("s", A))
    assert len(guesses) == 1
    assert second.guesses(("s", A), ("s", B)) == []  # two of the run
    objects.guesses.update(guesses)
    objects.of(_history((0, Op.RMW, ("s", A))))
    assert objects.guesses
    objects.of(_history((0, Op.READ, ("g", "m", "x")), (1, Op.RMW, ("s", B)), (0, Op.RMW, ("s", A))))
    assert objects.guesses
    objects.of(_history((0, Op.RMW, ("s", C)), (1, Op.RMW, ("s", B))))
    assert not objects.guesses
    assert second.guesses(elsewhere, ("s", A)) == []


def test_a_wrong_guess_is_never_confirmed() -> None:
    objects = Objects()
    first = objects.of(_history((0, Op.READ, ("s", A))))
    second = objects.of(_history((1, Op.READ, ("s", A))))
    objects.guesses.update(second.guesses(second.here(first.named(("s", A))), ("s", A)))
    objects.of(_history((0, Op.READ, ("s", B)), (1, Op.READ, ("s", B))))
    objects.of(_history((0, Op.READ, ("s", B)), (1, Op.READ, ("s", B))))
    assert objects.united
    assert objects.guesses
