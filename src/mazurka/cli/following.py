"""`mazurka record --predict`: another process reads the segments of a recording as they are written, and reports calls
that may come in the other order; when the program has ended, the report shows the proven ones.

That process is no child of the program, which may wait for any child; nor does Ctrl-C stop it. It ends when it is asked
to, or when the recorder has ended, without reading the remaining segments: the report is on the whole trace.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from mazurka.errors import MazurkaError

#: Seconds between two looks for a segment.
_PAUSE: Final = 0.05

_SCRIPT: Final = "import sys; from mazurka.cli.following import follow; follow(sys.argv[1], int(sys.argv[2]))"


def start(directory: Path) -> Callable[[], None]:
    """Start to follow a recording that is about to be made; returns a function that ends that, and waits for its
    end."""
    asked, asking = os.pipe()
    ended, ending = os.pipe()
    command = [sys.executable, "-P", "-c", _SCRIPT, str(directory), str(ending)]
    # The started process forks the one that follows, and ends at once.
    subprocess.run(command, stdin=asked, stdout=subprocess.DEVNULL, pass_fds=(ending,), check=False)
    os.close(asked)
    os.close(ending)
    open_ends = [asking, ended]

    def stop() -> None:
        if open_ends:
            open_ends.clear()
            with contextlib.suppress(OSError):  # it may have ended
                os.write(asking, b".")
            os.close(asking)
            os.read(ended, 1)
            os.close(ended)

    return stop


def follow(directory: str, ending: int) -> None:
    """Read the segments of a recording until a byte, or the end, comes from standard input."""
    if os.fork():
        os._exit(0)
    os.setsid()
    for line in _lines(Path(directory)):
        print(f"mazurka: {line}", file=sys.stderr, flush=True)
    os.close(ending)


def _lines(directory: Path) -> Iterator[str]:
    """The messages, as soon as they are known."""
    from mazurka.predict.call_orders.streaming import CalledAt, StreamedCallOrders
    from mazurka.program.python.recording.finishing import SegmentColumns
    from mazurka.program.python.recording.raw import SUFFIX
    from mazurka.program.python.recording.reading import read
    from mazurka.trace.locations import text_of

    making, stream = SegmentColumns(), StreamedCallOrders()

    def words(call: CalledAt) -> str:
        known = 0 <= call.location < len(making.names.locations)
        place = f" at {text_of(making.names.locations[call.location])}" if known else ""
        return f"{call.class_name}.{call.method}{place}"

    number = 0
    while not select.select([0], [], [], _PAUSE)[0]:
        while (path := directory / f"{number:06}{SUFFIX}").exists() and not select.select([0], [], [], 0)[0]:
            try:
                segment = read(path)
                making.learn(segment)
                for first, second in stream.feed(making.columns(segment), making.names):
                    yield f"may come in the other order: {words(first)}, and {words(second)}; not proven yet"
            except MazurkaError as error:
                yield f"calls are not followed any further: {error}"
                return
            number += 1


def report(directory: Path) -> str:
    """The report on the whole recording, as text."""
    from mazurka.predict.kinds.registry import CALL_ORDER, ENGINES
    from mazurka.report.render import renderer
    from mazurka.trace.validated import read_reliably
    from mazurka.workflows.predicting import Numbered, Request, predict

    engine = next(iter(ENGINES))
    numbered = Numbered(*read_reliably(str(directory), None, False, lambda _: None, False))
    return renderer("text").render(predict(numbered, Request(str(directory), engine, (CALL_ORDER,), time_limit=60.0)))
