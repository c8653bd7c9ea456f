"""A whole program as frontrun 0.7.0 explores it; run by its interpreter, as `services.py` does.

frontrun takes a state and a fixed number of workers. So `main` of the program is the first worker, and each thread
that it starts is a further one, which waits at a gate until `start` opens it; `join` waits for its end. Gates and ends
are made anew for each execution, as is the program itself, so that all their locks are frontrun's. How many threads
there are is counted in one run of the repaired program on real threads.
"""

from __future__ import annotations

import importlib
import json
import runpy
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

_real_start, _real_join = threading.Thread.start, threading.Thread.join


class State:
    """A program that is about to run."""

    path = ""
    threads = 0

    def __init__(self) -> None:
        self.main: Callable[[], None] = runpy.run_path(self.path)["main"]
        self.gates = [threading.Event() for _ in range(self.threads)]
        self.ends = [threading.Event() for _ in range(self.threads)]
        self.started: list[Any] = []
        self.failed = False

    def run(self, body: Callable[[], object]) -> None:
        # Kept at the thread, not in a `threading.local`: frontrun takes all values of one of those for one location.
        threading.current_thread().explored = self  # type: ignore[attr-defined]
        try:
            body()
        except Exception:
            self.failed = True


def _explored() -> State | None:
    """The state of the thread that calls; none of frontrun's own threads has one."""
    return getattr(threading.current_thread(), "explored", None)


def _start(thread: Any) -> None:
    state = _explored()
    if state is None:
        _real_start(thread)
        return
    thread.place = len(state.started)
    state.started.append(thread)
    state.gates[thread.place].set()


def _join(thread: Any, timeout: float | None = None) -> None:
    state = _explored()
    if state is None or not hasattr(thread, "place"):
        _real_join(thread, timeout)
    else:
        state.ends[thread.place].wait()


def _main(state: State) -> None:
    state.run(state.main)
    for gate in state.gates[len(state.started) :]:
        gate.set()


def _worker(place: int) -> Callable[[State], None]:
    def body(state: State) -> None:
        state.gates[place].wait()
        if place < len(state.started):
            state.run(state.started[place].run)
        state.ends[place].set()

    return body


def _number_of_threads(path: str) -> int:
    started = []

    def count(thread: threading.Thread) -> None:
        started.append(thread)
        _real_start(thread)

    threading.Thread.start = count  # type: ignore[method-assign]
    sys.argv = [path, "repaired"]
    runpy.run_path(path)["main"]()
    return len(started)


def main(seconds: str, path: str, *arguments: str) -> None:
    State.path, State.threads = path, _number_of_threads(path)
    sys.argv = [path, *arguments]
    threading.Thread.start, threading.Thread.join = _start, _join  # type: ignore[method-assign]
    begun = time.process_time()
    result = importlib.import_module("frontrun").explore(
        State,
        [_main, *map(_worker, range(State.threads))],
        lambda state: not state.failed,
        detect_io=False,
        total_timeout=float(seconds),
        reproduce_on_failure=0,
    )
    spent = time.process_time() - begun
    print(json.dumps({"holds": result.property_holds, "executions": result.num_explored, "seconds": spent}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
