"""Variables of a frame are copied without making cycles, and without touching objects of the program."""

from __future__ import annotations

import gc
import sys
import weakref

from mazurka.program.python.frame_variables import variables_of


class Thing:
    pass


def test_no_cycle_is_left() -> None:
    def look() -> weakref.ref[Thing]:
        own, thing = sys._getframe(), Thing()
        assert variables_of(own)["thing"] is thing
        assert variables_of(own)["own"] is own
        own = None  # type: ignore[assignment]
        return weakref.ref(thing)

    gc.disable()
    try:
        assert look()() is None
    finally:
        gc.enable()


def test_a_dictionary_that_the_program_has_keeps_its_content() -> None:
    one = 1
    had = locals()
    assert variables_of(sys._getframe())["one"] == 1
    assert had["one"] == one


def test_namespaces_of_modules_and_classes_are_theirs() -> None:
    class Made:
        one = 1
        found = variables_of(sys._getframe())

    assert Made.found["one"] == Made.one
