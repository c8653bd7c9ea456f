"""The generator that the functions of `random` share. Names of temporary files.

As long as the program neither seeds that generator nor looks at its state, any draw may give any value, whatever other
threads have drawn: then each thread draws from a stream of its own, and draws do not conflict. Otherwise the generator
is one location, which every draw changes. A run in which it is first seeded while threads run has to be made again.

Names of temporary files follow from the thread that makes them: so threads never compete for a name.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from mazurka.program.python.isolation import determinism
from mazurka.program.python.outside.files import JOURNAL
from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.replacing import replace_function, replace_method
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.runtime.task import SEED_POINTS
from mazurka.trace.targets import GLOBAL

_GENERATOR: Final = place("shared random generator")
_shared: Final[Any] = random.__dict__["_inst"]

_NAMES: Final = "abcdefghijklmnopqrstuvwxyz0123456789_"


def _is_free(models: Models) -> bool:
    """Whether the program does not know the state that draws follow from."""
    return not (models.seeded or SEED_POINTS in models.runtime.points)


def _drawing(name: str) -> Callable[..., Any]:
    def draw(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        if _is_free(models):
            return getattr(determinism.own_stream("random of "), name)(*args, **named)
        pass_step(models, change(*_GENERATOR))
        return real(*args, **named)

    return draw


def _setting(name: str) -> Callable[..., Any]:
    def set_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        if models.runtime.solo:
            models.seeded = True
        else:
            models.runtime.need_points(SEED_POINTS)
        pass_step(models, change(*_GENERATOR))
        return getattr(_shared, name)(*args, **named)  # by the class, whose unseeded generators are all seeded alike

    return set_


for _name in ("random", "getrandbits", "gauss"):
    replace_function(random, _name, _drawing(_name))
for _name in ("seed", "getstate", "setstate"):
    replace_function(random, _name, _setting(_name))


def install() -> Callable[[], None]:
    """Have methods of the shared generator that draw by way of others pass a step for each draw."""
    namespace = vars(_shared)
    for name in ("random", "getrandbits"):
        namespace[name] = _stand_in(name, getattr(random.Random, name))

    def undo() -> None:
        for name in ("random", "getrandbits"):
            namespace.pop(name, None)

    return undo


def _stand_in(name: str, method: Any) -> Callable[..., Any]:
    real, drawn = method.__get__(_shared), _drawing(name)

    def draw(*args: Any) -> Any:
        models = here()
        return real(*args) if models is None else drawn(models, real, *args)

    return draw


def _looking(models: Models, real: Any, *args: Any) -> Any:
    pass_step(models, read((GLOBAL, "tempfile", "tempdir"), "tempfile.tempdir"))
    return real(*args)


for _name in ("gettempdir", "_gettempdir"):
    replace_function(tempfile, _name, _looking)


def _next_name(models: Models, real: Any, sequence: Any) -> str:
    """The next name for a temporary file: the same in each run, and when a search is resumed; another one for a program
    that is checked at the same time."""
    key = f"names of {models.runtime.current.name}"
    count = models.births[key] = models.births.get(key, 0) + 1
    digest = blake2b(f"{JOURNAL.name} {key} {count}".encode(), digest_size=8).digest()
    return "".join([_NAMES[byte % len(_NAMES)] for byte in digest])


if hasattr(tempfile, "_RandomNameSequence"):
    replace_method("tempfile", "_RandomNameSequence.__next__", _next_name)
