"""Output whose reader has gone, as `head` goes when it has read enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: The reader of the output has gone: as if SIGPIPE had ended the process, which Python ignores.
CLOSED_PIPE: Final = 141


@contextmanager
def reader_may_go() -> Iterator[None]:
    """While a report is printed: if the reader of the output has gone (`mazurka check ... | head`), the rest of it goes
    nowhere, and the command ends with the status that it would have had."""
    try:
        yield
    except BrokenPipeError:
        let_output_go()


def let_output_go() -> None:
    """Let further output, and what is left in the buffer, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
