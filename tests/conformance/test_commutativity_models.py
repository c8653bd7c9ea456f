"""The models of the library's Python types agree with CPython's objects: results, exceptions, and waits of calls."""

from __future__ import annotations

import collections
import concurrent.futures
import io
import itertools
import queue
import random
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mazurka.commute.registry import shared_type
from mazurka.commute.shared_type import BLOCKED, methods_of
from mazurka.trace.literals import Raised

Methods = Mapping[str, Callable[..., Any]]

_COMMON: Methods = {
    "contains": lambda o, v: v in o,
    "size": len,
    "clear": lambda o: o.clear(),
    "add": lambda o, v: o.add(v),
    "discard": lambda o, v: o.discard(v),
    "remove": lambda o, v: o.remove(v),
    "append": lambda o, v: o.append(v),
    "appendleft": lambda o, v: o.appendleft(v),
    "popleft": lambda o: o.popleft(),
}
_SET: Methods = {**_COMMON, "copy": frozenset}
_MAPPING: Methods = {
    **_COMMON,
    "set": lambda o, k, v: o.__setitem__(k, v),
    "get": lambda o, k: o.get(k),
    "item": lambda o, k: o[k],
    "delete": lambda o, k: o.__delitem__(k),
    "pop": lambda o, k: o.pop(k),
    "setdefault": lambda o, k, v: o.setdefault(k, v),
    "update": lambda o, k, n: o.update({k: n}),
    "subtract": lambda o, k, n: o.subtract({k: n}),
    "total": lambda o: o.total(),
    "move_to_end": lambda o, k: o.move_to_end(k),
    "popitem": lambda o: o.popitem(),
    "popfirst": lambda o: o.popitem(last=False),
    "items": lambda o: tuple(o.items()),
}
_SEQUENCE: Methods = {
    **_COMMON,
    "pop": lambda o: o.pop(),
    "item": lambda o, i: o[i],
    "set": lambda o, i, v: o.__setitem__(i, v),
    "copy": tuple,
}
_QUEUE: Methods = {
    "put": lambda o, v: o.put(v, timeout=0),
    "put_nowait": lambda o, v: o.put_nowait(v),
    "get": lambda o: o.get(timeout=0),
    "get_nowait": lambda o: o.get_nowait(),
    "task_done": lambda o: o.task_done(),
    "join": lambda o: _waits(not o.unfinished_tasks),
    "empty": lambda o: o.empty(),
    "full": lambda o: o.full(),
    "qsize": lambda o: o.qsize(),
}
_SHUTDOWN: Methods = {
    "shutdown": lambda o: o.shutdown(),
    "shutdown_now": lambda o: o.shutdown(immediate=True),
}
_WORK: Methods = {**_QUEUE, **(_SHUTDOWN if hasattr(queue.Queue, "shutdown") else {})}
_THREADING: Methods = {
    "acquire": lambda o, *_: _waits(o.acquire(blocking=False), True),
    "try_acquire": lambda o, *_: o.acquire(blocking=False),
    "release": lambda o: o.release(),
    "locked": lambda o: o.locked(),
    "set": lambda o: o.set(),
    "clear": lambda o: o.clear(),
    "is_set": lambda o: o.is_set(),
    "wait": lambda o: _waits(o.is_set(), True),
}
_FUTURE: Methods = {
    "run": lambda o: o.set_running_or_notify_cancel(),
    "set_result": lambda o, v: o.set_result(v),
    "result": lambda o: o.result(timeout=0),
    "cancel": lambda o: o.cancel(),
    "cancelled": lambda o: o.cancelled(),
    "running": lambda o: o.running(),
    "done": lambda o: o.done(),
}
_FILE: Methods = {
    "write": lambda o, d: o.write(d),
    "read": lambda o: o.read(),
    "seek": lambda o, i: o.seek(i),
    "tell": lambda o: o.tell(),
    "close": lambda o: o.close(),
}


class Waiting(Exception):
    """A call that would wait."""


def _waits(goes_on: bool, result: Any = None) -> Any:
    if not goes_on:
        raise Waiting
    return result


def sized(state: Any) -> queue.Queue[Any]:
    return queue.Queue(state[2])


#: Type -> a new object for a state that the model begins in, and the methods.
REAL: dict[str, tuple[Callable[[Any], Any], Methods]] = {
    "set": (set, _SET),
    "frozenset": (frozenset, _SET),
    "dict": (dict, _MAPPING),
    "OrderedDict": (collections.OrderedDict, _MAPPING),
    "defaultdict": (lambda _: collections.defaultdict(int), _MAPPING),
    "Counter": (lambda _: collections.Counter(), _MAPPING),
    "list": (list, _SEQUENCE),
    "deque": (collections.deque, _SEQUENCE),
    "queue.SimpleQueue": (lambda _: queue.SimpleQueue(), _QUEUE),
    "queue.Queue": (sized, _QUEUE),
    "work_queue": (lambda _: queue.Queue(), _WORK),
    "queue.LifoQueue": (lambda _: queue.LifoQueue(), _QUEUE),
    "queue.PriorityQueue": (lambda _: queue.PriorityQueue(), _QUEUE),
    "threading.Lock": (lambda _: threading.Lock(), _THREADING),
    "threading.Semaphore": (threading.Semaphore, _THREADING),
    "threading.Event": (lambda _: threading.Event(), _THREADING),
    "concurrent.futures.Future": (lambda _: concurrent.futures.Future(), _FUTURE),
    "itertools.count": (itertools.count, {"next": next}),
    "file": (lambda _: io.StringIO(), _FILE),
}


def real(method: Callable[..., Any], thing: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        return method(thing, *arguments)
    except (Waiting, TimeoutError):
        return BLOCKED
    except Exception as error:
        return Raised(type(error).__name__)


def expected(method: str, result: Any) -> bool:
    """Whether a blocking call of `queue`, made without patience, would have waited."""
    return method in ("put", "get") and result in (Raised("Full"), Raised("Empty"))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("seed", range(10))
def test_model_and_object_agree(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    kind = shared_type(name)
    methods = methods_of(kind)
    make, operations = REAL[name]
    state = rng.choice(list(kind.initials))
    thing = make(state)
    for _ in range(200):
        method = rng.choice([each for each in methods.values() if each.name in operations])
        arguments = tuple(rng.choice(list(kind.scope[parameter])) for parameter in method.parameters)
        step = method.step(state, *arguments)
        if step is not BLOCKED and not kind().bounded(step[0]):
            continue
        result = real(operations[method.name], thing, arguments)
        if expected(method.name, result):
            result = BLOCKED
        if step is BLOCKED:
            assert result is BLOCKED, (method.name, state)
            continue
        state = step[0]
        assert result == step[1], (method.name, arguments, state)
        assert isinstance(result, Raised) == isinstance(step[1], Raised)


def test_appended_files(tmp_path: Path) -> None:
    """Who appends does not look at a position, whoever else has written meanwhile."""
    path = tmp_path / "log"
    with path.open("a", buffering=1) as one, path.open("a", buffering=1) as other:
        assert [one.write("a\n"), other.write("b\n"), one.write("c\n")] == [2, 2, 2]
    assert path.read_text() == "a\nb\nc\n"
    with pytest.raises(ValueError, match="closed"):
        one.write("d")
