"""What an operation looks at that goes into whatever is in its operands: comparing, describing, copying, matching.

Through containers in containers, and through instances, unless the program's own instrumented method tells what it
reads (``__eq__``, ``__repr__``). What is not a container of a kind that is known, and not an instance of the program's
classes, is taken to be a value.

Cost: some microseconds for each container; a list of numbers is looked through in a twentieth of one for each.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import objects, sites
from mazurka.program.python.attributes import HARMLESS, root_of
from mazurka.program.python.containers import Shape, shape_of, shapes
from mazurka.program.python.locations import base_of, bases, contents, emit_reads, perform, reads_of
from mazurka.program.python.objects import is_a, number
from mazurka.program.python.views import LAZY, sources

#: Values that hold nothing.
PLAIN: Final = frozenset(
    {int, str, float, bool, type(None), bytes, complex, range, type, types.FunctionType, types.ModuleType}
)
_COMPARING: Final = tuple("__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split())
_DESCRIBING: Final = ("__format__", "__str__", "__repr__")

#: What kind of site asks which methods of an instance; any other looks at it past all methods.
_ASKS: Final = {"compare": _COMPARING, "format": _DESCRIBING, "call": _DESCRIBING}

#: Kinds of sites that look no further than the container itself.
_SHALLOW: Final = frozenset({"combine", "change", "unpack", "search"})


def read(run: Any, things: Iterable[Any], site: int, copying: bool = False) -> None:
    """All that is in ``things`` is looked at, in one step; ``copying`` looks at instances past their methods."""
    waiting = [each for each in things if type(each) not in PLAIN]
    if waiting:
        perform(run, site, _read, waiting, site, copying)


def _read(run: Any, things: Sequence[Any], site: int, copying: bool) -> None:
    waiting = [*things]
    found: list[Any] = []
    reads: list[Access] = []
    seen: set[int] = set()
    asked = "" if copying else sites.kind_of(site)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if is_a(thing, (tuple, frozenset)):
            waiting += [each for each in _elements(thing) if type(each) not in PLAIN]
            continue
        kind = type(thing)
        shape = shapes.get(id(kind)) or shape_of(kind)
        inside = sources(thing) if shape.base is not None or kind in LAZY else ()
        for container in inside:
            found.append(container)
            reads += contents(container)
            if asked not in _SHALLOW:
                waiting += [each for each in _elements(container) if type(each) not in PLAIN]
        looks = shape.operations.get("__iter__")
        if looks is not None:
            looks(run, thing, site, ())
        elif not inside and asked not in _SHALLOW and _is_looked_into(shape, kind, asked):
            reads += instance_accesses(thing)
            waiting += [each for each in objects.dictionary(thing).values() if type(each) not in PLAIN]
    if found:
        emit_reads(run, found, reads, site)
    elif reads:
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))


def _elements(thing: Any) -> list[Any]:
    if is_a(thing, dict):
        return [*dict.keys(thing), *dict.values(thing)]
    if is_a(thing, (tuple, frozenset)):
        return [*(tuple if is_a(thing, tuple) else frozenset).__iter__(thing)]
    return [*base_of(thing).__iter__(thing)]


def _is_looked_into(shape: Shape, kind: type, asked: str) -> bool:
    """Whether an instance's attributes are read without any hook telling so."""
    found = shape.looked_into.get(asked)
    if found is None:
        found = shape.looked_into[asked] = _instances_are(kind, asked)
    return found


def _instances_are(kind: type, asked: str) -> bool:
    if not kind.__flags__ & 1 << 9 or issubclass(kind, type) or root_of(kind.__module__) in HARMLESS:
        return False
    asks = _ASKS.get(asked, ())
    methods = [each.__dict__[name] for each in bases(kind)[:-1] for name in asks if name in each.__dict__]
    if asked in _ASKS and not methods:
        return False  # `object` compares and describes without looking
    codes = [value.__code__.co_filename for value in methods if type(value) is types.FunctionType]
    return not any(file in sites.instrumented for file in codes)


def instance_accesses(thing: Any) -> list[Access]:
    """Reads of all attributes an instance has."""
    n = number(thing)
    shape = shape_of(type(thing))
    if shape.slots is None:
        shape.slots = [
            name
            for each in bases(type(thing))
            for name, value in each.__dict__.items()
            if type(value) is types.MemberDescriptorType and each.__flags__ & 1 << 9
        ]
    return reads_of([("a", n, name) for name in [*objects.dictionary(thing), *shape.slots]])
