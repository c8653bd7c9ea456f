"""The knowledge of hooks about classes, determined once: their *shapes*, and names that come and go among their
attributes.

A shape follows from the class and from the knowledge about the program, so all shapes are forgotten as soon as either
changes. :func:`.class_shapes.shape_of` makes them.

Cost: a look-up in a dictionary.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final
from zlib import crc32

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import activation

#: The handler of an operation on a container: called with the run, the container, the site and the arguments.
Handler = Callable[[Any, Any, int, tuple[Any, ...]], None]


class ClassShape:
    """The data of a class for hooks: the container operations it takes over, and where its attributes are."""

    __slots__ = (
        "asks_code",
        "attributes",
        "attributes_beside",
        "base",
        "deciding",
        "label",
        "lasts",
        "looked_into",
        "operations",
        "own",
        "recalled",
        "recurs",
        "silent",
        "slots",
        "state",
        "watch",
        "ways",
    )

    def __init__(self, kind: type, base: type | None, operations: dict[str, Handler]) -> None:
        self.lasts = False  # from run to run
        self.base = base  # the container class that it derives from, if any
        self.operations = operations
        self.attributes: dict[str, Any] = {}  # of instances, see attributes.py
        self.own: dict[str, Any] = {}  # of the class itself, see there
        self.deciding: dict[str, tuple[int, ...]] = {}  # by attribute of instances, see quick.py in recording/
        self.looked_into: dict[str, bool] = {}  # see deep_access.py, like the following
        self.asks_code: dict[str, bool] = {}
        self.ways: dict[str, int] = {}
        self.attributes_beside: dict[str, bool] = {}
        self.silent: dict[Any, bool] = {}  # by method in Python, see quick_calls.py in recording/
        self.label: tuple[str, bool] | None = None  # see recorder.py in recording/
        self.slots: list[str] | None = None
        self.state: int | None = None  # see native_objects.py
        self.recurs: tuple[Any, ...] | None = None  # see recurring_classes.py, like the following
        self.recalled = -1
        key = id(kind)
        self.watch = weakref.ref(kind, lambda _dead: shapes.pop(key, None))


#: The function that reports a call (:mod:`calls`), which is known once that module has been imported.
calling: Final[list[Callable[..., None]]] = []

#: id of a class -> its shape.
shapes: dict[int, ClassShape] = {}


@dataclass(frozen=True, slots=True)
class Template:
    """The template of a class that each run makes anew, see recurring_classes.py."""

    attributes: dict[str, int]
    own: dict[str, Any]
    state: int | None
    knowledge: tuple[int, ...]
    held: list[Any]


#: All that decides how the attributes of such a class are found -> its template.
templates: dict[tuple[Any, ...], Template] = {}


def forget_shapes() -> None:
    """Forget all shapes: classes have been changed, or may have been."""
    shapes.clear()
    templates.clear()
    run = activation.active
    if run is not None and not run.is_recording:
        run.sharing.private.look_again()


def comes_and_goes(name: str) -> bool:
    """Whether an attribute of that name is known to be stored by its name, or classes to get or lose one, while
    threads run."""
    run = activation.active
    return run is not None and not run.is_recording and _coming_and_going(name) in run.points


def _coming_and_going(name: str) -> int:
    """The mark among points for a name that comes and goes."""
    return -1 - (crc32(name.encode("utf-8", "surrogatepass")) | 1 << 35)


def comes_or_goes(run: Any, name: str) -> None:
    """From now on the name is known to come and go."""
    if not run.is_recording and not comes_and_goes(name):
        run.sharing.learn((_coming_and_going(name),))
        forget_shapes()
