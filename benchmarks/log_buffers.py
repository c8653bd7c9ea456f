"""`mazurka record` with another buffer for its events: ``python -m benchmarks.log_buffers KIND record ...``.

- ``shared``: the recorder's own, one list to which all threads add; that takes no lock beside the interpreter's;
- ``locked``: one list, and a lock for each event, as a log in one order takes where the interpreter has none;
- ``numbered``: a list for each thread, each event of which takes a number from a counter of all;
- ``per-thread``: a list for each thread, and no order among them.

All record the same events; they are put together, and written, when the program has ended. For thread_logs.py.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from mazurka.cli import main
from mazurka.program.python.recording import recorder


class Locked(list[Any]):
    """One list, and a lock."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

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


class Numbered(PerThread):
    """The same, with numbers: these are in lists of their own."""

    def __init__(self) -> None:
        super().__init__()
        self._next = itertools.count().__next__
        self._numbers: defaultdict[int, list[int]] = defaultdict(list)

    def extend(self, items: Any) -> None:
        self.own[items[0]].extend(items)
        self._numbers[items[0]].append(self._next())


KINDS: Final[dict[str, Callable[[], list[Any]]]] = {
    "shared": list,
    "locked": Locked,
    "numbered": Numbered,
    "per-thread": PerThread,
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
        super().end()


def run(arguments: Sequence[str]) -> None:
    """The command, with a buffer of the kind that is the first argument."""
    from mazurka.program.python.recording import record

    Recorder.kind, sys.argv[1:] = arguments[0], list(arguments[1:])
    recorder.SEGMENT = sys.maxsize  # no kind writes events before the program has ended
    record.Recorder = Recorder  # type: ignore[misc]
    sys.exit(main())


if __name__ == "__main__":
    run(sys.argv[1:])
