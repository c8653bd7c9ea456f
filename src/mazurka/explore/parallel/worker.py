"""The process that runs a program for an executor (executor_pool.py): prepares it, then carries out work items.

Messages come by standard input: the search path of modules, the pickled function that loads the program, then work
items; results go to the original standard output. The program has access to neither. The process ends with its input.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from typing import IO, Any

from mazurka.errors import MazurkaError
from mazurka.explore.parallel.executor_pool import receive, send


def main() -> None:
    """Carry out work items until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator handles interruptions
    items = os.fdopen(os.dup(0), "rb")
    reports = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        _serve(items, reports)
    except (EOFError, BrokenPipeError):
        os._exit(0)


def _serve(items: IO[bytes], reports: IO[bytes]) -> None:
    sys.path[:] = pickle.loads(receive(items))
    load = receive(items)
    ready = _attempt(_load, load)
    while True:
        item = pickle.loads(receive(items))
        answer = ready if isinstance(ready, BaseException) else _attempt(ready, item)
        send(reports, pickle.dumps(answer, protocol=5))


def _load(pickled: bytes) -> Any:
    return pickle.loads(pickled)()


def _attempt(call: Callable[[Any], Any], operand: Any) -> Any:
    """The result or the exception of a call, in a form that can be sent."""
    try:
        return call(operand)
    except MazurkaError as error:
        return error
    except BaseException:  # the coordinator must get every exception
        return RuntimeError(f"in a worker:\n{traceback.format_exc()}")


if __name__ == "__main__":
    main()
