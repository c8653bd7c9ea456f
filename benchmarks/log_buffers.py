"""`mazurka record` with another buffer for its events: ``python -m benchmarks.log_buffers KIND record ...``.

- ``shared``: the recorder's own, one list to which all threads add; that takes no lock beside the interpreter's;
- ``locked``: one list, and a lock that each event holds while it is added, as a log in one order takes where the
  interpreter has none (patent 003: "synchronizing every model event with a global lock protecting the logging data
  structure"). It is reentrant: the end of an object, which may come while an event is added, may add others, and with
  another lock the thread would wait for itself;
- ``per-thread``: a list for each thread, and no order among them;
- ``none``: no log. Events are made and thrown away in C, so that all that is left is the cost of instrumented code.

All make the same events. The process ends when the program's threads have: nothing is written. For thread_logs.py.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from mazurka.cli import main
from mazurka.program.python.recording import recorder


class Locked(list[Any]):
    """One list, and a lock."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()

    def extend(self, items: Any) -> None:
        with self._lock:
            super().extend(items)


class PerThread(list[Any]):
    """A list for each thread, by its identifier, with which its events begin."""

    def __init__(self) -> None:
        super().__init__()
        self.own: defaultdict[int, list[Any]] = defaultdict(list)

    def extend(self, items: Any) -> None:
        self.own[items[0]].extend(items)

    def gather(self) -> None:
        for events in self.own.values():
            super().extend(events)


#: Recordings replace it.
_EXIT: Final = os._exit

KINDS: Final[dict[str, Callable[[], Any]]] = {
    "shared": list,
    "locked": Locked,
    "per-thread": PerThread,
    "none": lambda: deque(maxlen=0),
}


class Recorder(recorder.Recorder):
    """A recorder with such a buffer."""

    kind = "shared"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.buffer = KINDS[self.kind]()

    def end(self) -> None:
        if isinstance(self.buffer, PerThread):
            self.buffer.gather()
        sys.stdout.flush()
        print(f"recorded {len(self.buffer) // 3:,} events of one execution; kept 0", file=sys.stderr, flush=True)
        _EXIT(0)


def run(arguments: Sequence[str]) -> None:
    """The command, with a buffer of the kind that is the first argument."""
    from mazurka.program.python.recording import record

    Recorder.kind, sys.argv[1:] = arguments[0], list(arguments[1:])
    recorder.SEGMENT = sys.maxsize  # no kind writes events
    record.Recorder = Recorder  # type: ignore[misc]
    sys.exit(main())


if __name__ == "__main__":
    run(sys.argv[1:])
