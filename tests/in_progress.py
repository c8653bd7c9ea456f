"""A runtime that a test drives itself, as the run in progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mazurka.program.python import activation, primitives
from mazurka.program.runtime.runtime import Runtime


@contextmanager
def in_progress(runtime: Runtime) -> Iterator[None]:
    """Hooks and models work on this runtime. Models change `threading` itself: without their end the interpreter would
    wait for its main thread when it exits."""
    primitives.begin(runtime)
    activation.activate(runtime)
    try:
        yield
    finally:
        activation.activate(None)
        primitives.end()
