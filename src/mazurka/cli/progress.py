"""The progress line of a running check: on standard error, and only in a terminal."""

from __future__ import annotations

import sys
import time
from typing import Final, Self, TextIO

#: Seconds between two updates of the line.
_EVERY: Final = 0.1

#: Erases the line and goes to its start.
_ERASE: Final = "\r\x1b[2K"


def is_wanted(asked: bool | None, stream: TextIO) -> bool:
    """Whether to show progress: as asked for, otherwise if ``stream`` is a terminal."""
    return stream.isatty() if asked is None else asked


def duration(seconds: float) -> str:
    """Seconds in the unit a person would use."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6_000:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3_600:.0f} h"
    if seconds < 63_072_000:
        return f"{seconds / 86_400:.0f} days"
    return "years"


def describe(
    executions: int, seconds: float, found: int, total: float | None, limit: float | None, deciding: bool = False
) -> str:
    """``total`` estimates the executions of the whole search (None: unknown); ``limit`` is the time limit;
    ``deciding`` says that most of the time goes into deciding which executions are possible."""
    rate = executions / seconds if seconds > 0 else 0.0
    words = [f"{executions:,} executions", f"{rate:,.0f}/s", *(["deciding"] if deciding else []), f"{found} found"]
    if total is not None and total > executions and rate > 0:
        left = (total - executions) / rate
        words.append(f"about {total - executions:,.0f} left" if total < 1e9 else f"about {total:.0e} left")
        words.append(
            duration(left) if limit is None or left <= limit - seconds else f"{duration(left)}, limit {duration(limit)}"
        )
    else:
        words.append(f"{seconds:.0f} s" if limit is None else f"{seconds:.0f} of {duration(limit)}")
    return ", ".join(words)


class ProgressLine:
    """Shows the line, at most ten times a second; a context manager, which erases it in the end."""

    def __init__(self, shown: bool, limit: float | None = None, stream: TextIO | None = None) -> None:
        self._shown = shown
        self._limit = limit
        self._stream = stream or sys.stderr
        self._next = 0.0
        self._last: tuple[int, int, float | None, bool] = (0, 0, None, False)
        self._started = time.monotonic()
        self._terminal = self._stream.isatty()
        self._interval = _EVERY if self._terminal else 2.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._shown and self._terminal and self._next:
            self._write(_ERASE)

    def note(self, text: str) -> None:
        """Print a line that stays."""
        self._write(f"{_ERASE if self._shown and self._terminal else ''}mazurka: {text}\n")

    def update(self, executions: int, found: int, total: float | None, deciding: bool = False) -> None:
        """Show the progress of the search, if the last update is old enough."""
        self._last = executions, found, total, deciding
        if self._is_due():
            seconds = time.monotonic() - self._started
            self._show(describe(executions, seconds, found, total, self._limit, deciding))

    def tick(self) -> None:
        """Update the elapsed time in the line."""
        self.update(*self._last)

    def show(self, text: str) -> None:
        """Show another text, if the last update is old enough."""
        if self._is_due():
            self._show(f"{text}, {time.monotonic() - self._started:.0f} s")

    def _is_due(self) -> bool:
        return self._shown and time.monotonic() >= self._next

    def _show(self, text: str) -> None:
        self._next = time.monotonic() + self._interval
        self._write(f"{_ERASE}{text}" if self._terminal else f"{text}\n")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the reader has gone
            self._shown = False
