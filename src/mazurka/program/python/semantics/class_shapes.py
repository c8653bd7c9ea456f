"""The shapes of classes: which container a class derives from, and which of its operations it takes over as they are.

:data:`OPERATIONS` is the table of containers, to which the modules with handlers add their containers (:func:`know`).

Cost: a look-up in a dictionary; a walk over a class's bases when it is first met.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.rewrite.descriptors import GIVEN
from mazurka.program.python.semantics import recurring_classes
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import (
    bases,
)
from mazurka.program.python.semantics.shapes import ClassShape, Handler, shapes
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Operations of each kind of container; a subclass is looked up along its bases.
OPERATIONS: Final[dict[type, dict[str, Handler]]] = {}

#: Identities of the classes in the table: looking up identities runs no code of a metaclass.
_known: Final[set[int]] = set()


def shape_of(kind: type) -> ClassShape:
    """The shape of a class, made when it is first asked for."""
    shape = shapes.get(id(kind))
    if shape is None:
        key = id(kind)
        base = next((each for each in bases(kind) if id(each) in _known), None)
        shape = shapes[key] = ClassShape(kind, base, _operations(kind, base))
        if recurring_classes.recall(kind, shape):
            return shape  # which is known to have no such method
        if name := _unseen_method(kind):
            shape.recurs = None
            _unseen[key] = weakref.ref(kind, lambda _dead: _unseen.pop(key, None)), name
    return shape


def class_made(kind: Any) -> Any:
    """A class has been made by a statement, which may have called special methods of its bases and attributes."""
    if isinstance(kind, type):
        space = type.__dict__["__dict__"].__get__(kind)
        look_at_class(bases(kind), space)
        run = activation.active
        if "__subclasshook__" in space and run is not None and not run.solo and has_concurrent_threads(run):
            if any(type(each) is not type for each in bases(kind)[1:]):  # their subclass checks ask the hook, too
                text = f"a class {kind.__name__} with a __subclasshook__"
                run.untracked[text] = run.untracked.get(text, 0) + 1
    return kind


def look_at_class(kinds: Iterable[Any], space: Mapping[str, Any]) -> None:
    """A class is made of these bases and attributes: look for special methods with unreported effects."""
    for each in kinds:
        if type(each).__flags__ & 1 << 9:
            shape_of(type(each))
        if isinstance(each, type):
            shape_of(each)
    for value in [*space.values()]:
        if type(value).__flags__ & 1 << 9:
            shape_of(type(value))


#: By identity, the classes met whose special methods have unreported effects, and one in words.
_unseen: dict[int, tuple[Any, str]] = {}


def unseen_methods() -> list[str]:
    """The special methods with unreported effects, in words."""
    return [f"{getattr(kind(), '__name__', '?')}.{name}" for kind, name in _unseen.values()]


def _unseen_method(kind: type) -> str:
    """A special method that is a method in C of some other object, as in ``__call__ = items.append``, or a method in C
    of another name, as in ``__getattr__ = dict.__getitem__``; or that a descriptor returns, which may be any of
    these."""
    for each in bases(kind):
        for name, value in [*each.__dict__.items()] if each.__flags__ & 1 << 9 else ():
            if type(value) is types.FunctionType or type(name) is not str or not name.startswith("__"):
                continue
            if id(type(value)) in _LOOKED_AT:
                inner: Any = value.__func__ if (type(value) is staticmethod or type(value) is classmethod) else value
                if type(inner) in _SLOTS_IN_C and inner.__name__ != name and id(inner.__objclass__) in _known:
                    return f"{name}, a function in C"
                if type(inner) in _IN_C and not isinstance(getattr(inner, "__self__", None), (type, types.ModuleType)):
                    return f"{name}, a function in C"
            elif name in LOOKED_UP and _is_computing(value):
                return f"{name}, which a descriptor returns"
    return ""


_SLOTS_IN_C: Final = frozenset((types.MethodDescriptorType, types.WrapperDescriptorType))
_IN_C: Final = frozenset((*BUILTIN_METHODS, types.MethodWrapperType, functools.partial))
_LOOKED_AT: Final = frozenset(map(id, (*_SLOTS_IN_C, *_IN_C, staticmethod, classmethod)))

#: Methods that the interpreter, or the library, looks up in a class.
LOOKED_UP: Final = frozenset(
    f"__{name}__"
    for name in """init del repr str bytes format lt le eq ne gt ge hash bool getattr getattribute setattr delattr dir
    get set delete set_name init_subclass mro_entries prepare instancecheck subclasscheck subclasshook class_getitem
    call len length_hint getitem setitem delitem missing iter next reversed contains add sub mul matmul truediv floordiv
    mod divmod pow lshift rshift and xor or radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift
    rand rxor ror iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior neg pos abs invert
    int float complex index round trunc floor ceil enter exit await aiter anext aenter aexit copy deepcopy reduce
    reduce_ex getstate setstate getnewargs getnewargs_ex sizeof fspath buffer release_buffer post_init new""".split()
)


def _is_computing(value: Any) -> bool:
    """Whether an attribute of a class is computed by code in Python, or by a property, not by code that passes it
    through a hook (:mod:`given_methods`)."""
    kind = type(value)
    if kind is functools.partialmethod and type(value.func) is types.FunctionType:
        return False
    if any(kind is each for each in (property, functools.cached_property, functools.partialmethod)):
        return True
    found = next((each.__dict__["__get__"] for each in bases(kind) if "__get__" in each.__dict__), None)
    if type(found) is not types.FunctionType or found.__module__ in _GIVING_FUNCTIONS:
        return False
    return found.__code__.co_filename not in sites.instrumented or GIVEN not in found.__code__.co_names


#: Modules whose descriptors return functions in Python.
_GIVING_FUNCTIONS: Final = frozenset({"functools", "unittest.mock"})


def know(tables: dict[type, dict[str, Handler]]) -> None:
    """Add classes to the table."""
    OPERATIONS.update(tables)
    _known.update(map(id, tables))


def _operations(kind: type, base: type | None) -> dict[str, Handler]:
    """The operations that ``kind`` takes over from a container as they are."""
    if base is None:
        return {}
    if base is kind:
        return OPERATIONS[base]
    mro = bases(kind)
    return {name: handler for name, handler in OPERATIONS[base].items() if _is_native(mro, name)}


def _is_native(mro: tuple[type, ...], name: str) -> bool:
    for each in mro:
        if name in each.__dict__:
            code = getattr(each.__dict__[name], "__code__", None)
            return id(each) in _known and (code is None or code.co_filename not in sites.instrumented)
    return name == "__bool__"


def operation(thing: Any, name: str) -> Handler | None:
    """The handler of an operation on ``thing``, if it is a container that has it from a builtin."""
    kind = type(thing)
    shape = shapes.get(id(kind)) or shape_of(kind)
    return shape.operations.get(name)
