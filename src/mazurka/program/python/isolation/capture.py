"""The output of a run, kept up to a limit, and its empty input.

What threads write while a run that has ended unwinds them is no part of its output.
"""

from __future__ import annotations

import io
import sys
from typing import Final

from mazurka.program.python import activation

#: Bytes of output kept per run.
_MOST: Final = 1 << 20


class _Bounded(io.BytesIO):
    """Keeps the beginning of the output and counts the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = 0

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # BytesIO takes any buffer
        run = activation.active
        if run is not None and run.aborting and not run.has_ended:
            return len(data)
        room = _MOST - self.tell()
        kept = data[: max(room, 0)]
        super().write(kept)
        self.dropped += len(data) - len(kept)
        return len(data)


#: Taken once, while it is still real.
_Text: Final = io.TextIOWrapper


def is_output(stream: object) -> bool:
    """Whether it is the standard output of a run, which the program can't read."""
    try:
        return type(stream) is _Text and type(stream.buffer) is _Bounded
    except ValueError:  # it has been detached
        return False


class _NoInput(io.BytesIO):
    """An input at its end, which knows whether it was read."""

    asked = False

    def read(self, size: int | None = -1, /) -> bytes:
        self.asked = True
        return b""

    def read1(self, size: int | None = -1, /) -> bytes:
        self.asked = True
        return b""


class Capture:
    """Stands in for stdin, stdout and stderr while a run lasts; may be entered again."""

    def __init__(self) -> None:
        self._bytes = _Bounded()
        self._text = io.TextIOWrapper(self._bytes, "utf-8", "backslashreplace", write_through=True)
        self._input = _NoInput()
        self._stdin = io.TextIOWrapper(self._input, "utf-8")
        self._ours = self._references()

    def __enter__(self) -> Capture:
        self._saved = sys.stdin, sys.stdout, sys.stderr
        sys.stdin = self._stdin
        sys.stdout = sys.stderr = self._text
        return self

    def __exit__(self, *exception: object) -> None:
        sys.stdin, sys.stdout, sys.stderr = self._saved

    @property
    def read_input(self) -> bool:
        """Whether the program has read standard input, which is empty in an execution."""
        return self._input.asked

    def unused(self) -> bool:
        """Whether this object may serve another run: it was not used, and no code has kept a stream of it."""
        if self._text.closed or self._stdin.closed or self._bytes.closed or self._input.asked:
            return False
        return not self._bytes.getvalue() and self._text.encoding == "utf-8" and self._references() == self._ours

    def _references(self) -> tuple[int, int, int, int]:
        count = sys.getrefcount
        return count(self._text), count(self._bytes), count(self._stdin), count(self._input)

    def text(self) -> str:
        """The output, both streams in order."""
        if self._text.closed or self._bytes.closed:
            return "(the program closed its output)"
        self._text.flush()
        printed = self._bytes.getvalue()
        if not printed:
            return ""
        text = printed.decode("utf-8", "backslashreplace")
        return f"{text}\n... and {self._bytes.dropped} bytes more" if self._bytes.dropped else text
