"""Classes that each run makes anew: a script's ``class`` statements, executed again, make classes whose attributes are
found in the same way.

The knowledge about such a class is dropped with it at the end of its run (:mod:`shape_cache`). Its *template* is kept:
how attributes of its instances are found, as far as that names no class. The class of a later run gets the template if
all that decides these is the same:

- the same name and module, the same base classes, each of which lasts, and no metaclass but `type`;
- in the same order the same names, and under each the same code: of an instrumented function, alone, in a property, or
  as a static or class method. Of other values, which must be of builtin types, only the type decides.
- the same points, and the same instrumented code: the knowledge about names follows from these.

A template is kept only if the class was, at the end of the run, the same as when it was first met. All templates are
forgotten with the shapes (:func:`.shapes.forget_shapes`). They hold code and classes that last, and no objects of a
run.

Cost: two microseconds for each such class and run, where classifying it takes twenty.
"""

from __future__ import annotations

from types import CodeType, FunctionType, GetSetDescriptorType
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.shapes import ClassShape, Template, shapes, templates

_HEAP_TYPE: Final = 1 << 9

_bases_of: Final[Any] = type.__dict__["__mro__"].__get__
_names_of: Final[Any] = type.__dict__["__dict__"].__get__
_flags_of: Final[Any] = type.__dict__["__flags__"].__get__
_qualified_name_of: Final[Any] = type.__dict__["__qualname__"].__get__

#: Classes of values of which none but the class decides how an attribute is found.
_VALUES: Final = frozenset({str, int, float, bool, bytes, type(None), tuple, list, dict, set, frozenset})

#: The attributes that the interpreter puts into each class.
_OWN: Final = frozenset({"__dict__", "__weakref__"})

#: More templates than these are not kept: programs that make classes without end do not fill the memory.
_MOST: Final = 256

#: All that decides how attributes of a class are found.
Look = tuple[Any, ...]


def recall(kind: type, shape: ClassShape) -> bool:
    """Give a new shape the knowledge of its template, if there is one; otherwise note the key under which to keep one.
    Returns whether there was one."""
    run = activation.active
    if run is None or run.is_recording or shape.base is not None or type(kind) is not type:
        return False
    if not _flags_of(kind) & _HEAP_TYPE or (found := _look(kind)) is None:
        return False
    shape.recurs = found
    template = templates.get(found)
    if template is None or template.knowledge != _knowledge(run):
        return False
    shape.attributes.update(template.attributes)
    shape.own.update(template.own)
    shape.state = template.state
    shape.recalled = len(template.attributes) + len(template.own)
    return True


def keep(shape: ClassShape) -> bool:
    """At the end of a run: keep the knowledge about a class that recurs. Returns whether the class is known to
    recur."""
    if shape.recurs is None:
        return False
    if len(shape.attributes) + len(shape.own) == shape.recalled:
        return True
    run, kind = activation.active, shape.watch()
    found = _look(kind) if run is not None and kind is not None else None
    if kind is None or found is None or found != shape.recurs or len(templates) >= _MOST:
        return False
    attributes = {name: how for name, how in shape.attributes.items() if type(how) is int}
    own = {name: how for name, how in shape.own.items() if name.startswith(" ")}
    templates[found] = Template(attributes, own, shape.state, _knowledge(run), _parts(kind))
    return False


def _knowledge(run: Any) -> tuple[int, ...]:
    """The state that classification depends on beside the class: all of it only grows."""
    return len(run.points), len(sites.instrumented), len(sites.stored), len(sites.stored_from_outside)


def _look(kind: type) -> Look | None:
    """All parts of a class that decide how attributes are found; None if it is no class of a kind that is known to
    recur."""
    space = _names_of(kind)
    bases = _bases_of(kind)[1:]
    for each in bases:
        if _flags_of(each) & _HEAP_TYPE and ((known := shapes.get(id(each))) is None or not known.lasts):
            return None
    # The names and types say how many of the numbers that follow belong to which value.
    parts: list[Any] = [_qualified_name_of(kind), space.get("__module__"), *map(id, bases)]
    parts += (*space, *map(type, space.values()))
    ours, instrumented = False, sites.instrumented
    for name, value in space.items():
        how = type(value)
        if how is FunctionType:
            code = value.__code__
            if code.co_filename not in instrumented:
                return None
            ours = True
            parts.append(id(code))
        elif how in _VALUES or (how is GetSetDescriptorType and name in _OWN):
            continue
        elif (codes := _codes(value, how)) is not None:
            parts += map(id, codes)
        else:
            return None
    return tuple(parts) if ours else None


def _parts(kind: type) -> list[Any]:
    """The objects that a template has to keep alive for their identities to stay their own."""
    parts: list[Any] = [*_bases_of(kind)[1:]]
    for value in _names_of(kind).values():
        how = type(value)
        parts += [value.__code__] if how is FunctionType else _codes(value, how) or []
    return parts


def _codes(value: Any, how: type) -> list[CodeType | None] | None:
    """The code of the functions behind a property or method; None if some is not instrumented."""
    if how is property:
        functions = [value.fget, value.fset, value.fdel]
    elif how is staticmethod or how is classmethod:
        functions = [value.__func__]
    else:
        return None
    codes: list[CodeType | None] = []
    for each in functions:
        if each is not None and (type(each) is not FunctionType or each.__code__.co_filename not in sites.instrumented):
            return None
        codes.append(None if each is None else each.__code__)
    return codes
