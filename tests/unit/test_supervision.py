"""A process that is watched is ended when its time is up, whatever it has done to itself."""

from __future__ import annotations

import contextlib
import os
import signal
import time

import pytest

from mazurka.cli import supervision

# Other tests' libraries leave threads in this process, of which a fork warns from 3.12 on.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def _deaf(wire: supervision.Wire) -> int:
    """Close all but the pipe for messages, so that the question where it is finds no answer."""
    for descriptor in range(3, 256):
        if descriptor != wire._descriptor:
            with contextlib.suppress(OSError):
                os.close(descriptor)
    wire.send("ready")
    time.sleep(600)
    return 0


def _silent(wire: supervision.Wire) -> int:
    """Close everything, as a program does that makes a daemon of itself."""
    wire.send("ready")
    os.closerange(3, 256)
    time.sleep(600)
    return 0


def test_a_child_that_has_closed_its_pipes_is_ended_in_time() -> None:
    child = supervision.start(_silent)
    end = time.perf_counter() + 0.3
    assert list(child.messages(lambda: end, lambda: None)) == ["ready"]
    assert (child.expired, child.status) == (True, -signal.SIGKILL)


def test_a_child_that_ends_tells_all_before() -> None:
    child = supervision.start(lambda wire: [wire.send(number) for number in range(100)] and 7)
    assert list(child.messages(lambda: None, lambda: None)) == list(range(100))
    assert (child.expired, child.status) == (False, 7)


def test_a_child_that_cannot_say_where_it_is_is_ended() -> None:
    child = supervision.start(_deaf)
    messages = child.messages(lambda: end, lambda: None)
    end: float | None = None
    assert next(messages) == "ready"
    end = 0.0
    assert list(messages) == []
    assert (child.expired, child.place, child.status) == (True, "", -signal.SIGKILL)
