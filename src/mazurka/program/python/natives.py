"""What functions of the library that apply an operation read and write: `operator`, `functools`, slots of `object`.

``operator.setitem(d, k, v)`` is ``d[k] = v``, ``object.__setattr__(x, 'a', v)`` is ``x.a = v``, and so on.

Cost: that of the operation.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Final

from mazurka.program.python import attributes, wholes
from mazurka.program.python.attributes import classify
from mazurka.program.python.containers import OPERATIONS, SLOTS, operation, read_structure, shape_of
from mazurka.program.python.locations import perform
from mazurka.program.python.objects import MISSING, is_a, number, peek_attribute
from mazurka.program.python.views import sources
from mazurka.trace.event import Op

GETTERS: Final = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
CACHED: Final = type(functools.lru_cache(abs))


def by_name(run: Any, args: tuple[Any, ...], site: int, op: Op) -> None:
    """``getattr(*args)`` and its like."""
    if len(args) < 2 or not is_a(args[1], str):
        return
    thing, name = args[0], args[1]
    how = classify(type(thing), name)
    if op is Op.READ:
        attributes.read(run, thing, name, site, how)
    else:
        attributes.write(run, thing, name, site, how, op)


def native_method(run: Any, owner: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A method in C, past what the class of ``owner`` makes of it; but for containers', it looks at all it gets."""
    if name in SLOTS:
        by_name(run, (owner, *args), site, SLOTS[name])
        return
    base = shape_of(type(owner)).base
    if base is None:
        wholes.read(run, args, site)
    else:
        handler = OPERATIONS[base].get(name)
        if handler is not None:
            perform(run, site, handler, owner, site, args)


def operate(run: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A function of `operator`."""
    handler = operation(args[0], f"__{name.strip('_')}__") if args else None
    if name == "length_hint" and args:
        for container in sources(args[0]):
            read_structure(run, container, site)
    elif handler is not None:
        perform(run, site, handler, args[0], site, args[1:])
    else:
        wholes.read(run, args, site)


def get(run: Any, getter: Any, site: int, args: tuple[Any, ...]) -> None:
    """An `operator.itemgetter`, `attrgetter` or `methodcaller` is called."""
    if not args:
        return
    thing, asked = args[0], getter.__reduce__()[1]
    if type(getter) is operator.itemgetter:
        for key in asked:
            native_method(run, thing, "__getitem__", site, (key,))
    elif type(getter) is operator.attrgetter:
        for path in asked:
            _dotted(run, thing, path, site)
    else:
        native_method(run, thing, asked[0], site, asked[1:])


def _dotted(run: Any, thing: Any, path: str, site: int) -> None:
    for name in path.split("."):
        if thing is MISSING:
            return
        by_name(run, (thing, name), site, Op.READ)
        thing = peek_attribute(thing, name)


def cached(run: Any, function: Any, site: int) -> None:
    """A function with a cache is called: what it knows already is asked, and may be added to."""
    run.visit(Op.RMW, ("o", number(function)), site)
