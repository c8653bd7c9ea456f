"""The generator that the functions of `random` share: one location, which every draw changes. Names of temporary files.

Names of temporary files follow from the thread that makes them: which name is free is never a matter between threads.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from mazurka.program.python.outside.files import JOURNAL
from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.replacing import replace_function, replace_method
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.trace.targets import GLOBAL

_GENERATOR: Final = place("shared random generator")
_shared: Final[Any] = random.__dict__["_inst"]

_NAMES: Final = "abcdefghijklmnopqrstuvwxyz0123456789_"


def _drawing(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    pass_step(models, change(*_GENERATOR))
    return real(*args, **named)


def _setting(name: str) -> Callable[..., Any]:
    def set_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        pass_step(models, change(*_GENERATOR))
        return getattr(_shared, name)(*args, **named)  # by the class, where what is unseeded is seeded alike

    return set_


for _name in ("random", "getrandbits"):
    replace_function(random, _name, _drawing)
for _name in ("seed", "getstate", "setstate"):
    replace_function(random, _name, _setting(_name))


def install() -> Callable[[], None]:
    """Have methods of the shared generator that draw by way of others pass a step for each draw."""
    namespace = vars(_shared)
    for name in ("random", "getrandbits"):
        namespace[name] = _stand_in(getattr(random.Random, name))

    def undo() -> None:
        for name in ("random", "getrandbits"):
            namespace.pop(name, None)

    return undo


def _stand_in(method: Any) -> Callable[..., Any]:
    real = method.__get__(_shared)

    def draw(*args: Any) -> Any:
        models = here()
        if models is not None:
            pass_step(models, change(*_GENERATOR))
        return real(*args)

    return draw


def _looking(models: Models, real: Any, *args: Any) -> Any:
    pass_step(models, read((GLOBAL, "tempfile", "tempdir"), "tempfile.tempdir"))
    return real(*args)


for _name in ("gettempdir", "_gettempdir"):
    replace_function(tempfile, _name, _looking)


def _next_name(models: Models, real: Any, sequence: Any) -> str:
    """The same in each run, and when a search is taken up again; another one for a program that is checked beside."""
    key = f"names of {models.runtime.current.name}"
    count = models.births[key] = models.births.get(key, 0) + 1
    digest = blake2b(f"{JOURNAL.name} {key} {count}".encode(), digest_size=8).digest()
    return "".join([_NAMES[byte % len(_NAMES)] for byte in digest])


if hasattr(tempfile, "_RandomNameSequence"):
    replace_method("tempfile", "_RandomNameSequence.__next__", _next_name)
