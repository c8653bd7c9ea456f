"""The process that runs a program for an executor (see hired.py): gets it ready, then carries out order after order.

Messages come by standard input: where modules are found, how to load the program, then orders; reports go to what was
standard output. The program gets neither. Ends with its input.
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
    """Serve until there are no more orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator decides what an interruption means
    orders = os.fdopen(os.dup(0), "rb")
    reports = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        _serve(orders, reports)
    except (EOFError, BrokenPipeError):
        os._exit(0)


def _serve(orders: IO[bytes], reports: IO[bytes]) -> None:
    sys.path[:] = pickle.loads(receive(orders))
    load = receive(orders)
    ready = _attempt(_load, load)
    while True:
        order = pickle.loads(receive(orders))
        answer = ready if isinstance(ready, BaseException) else _attempt(ready, order)
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
