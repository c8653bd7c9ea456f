"""Keys whose equality is that of their fields: objects of data classes with a hash.

The location of such a key is made of the values of its fields (:mod:`keys`), which `dataclasses` compares without
a step. They may change nevertheless: by ``object.__setattr__``, by the object's dictionary, or plainly in a class with
``unsafe_hash``. So an operation with such a key also reads the fields that any thread has changed, of this key and of
those in the container. A change after an object has become a key counts as untracked: its entry stays where the old
hash led. Stores by the constructor are no changes.

Cost: a tenth of a microsecond for an operation with such a key, as long as no field is changed; then a look at all keys
of its container.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from collections.abc import Iterable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.semantics import objects
from mazurka.program.python.semantics.objects import dictionary, is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: The file name of the methods that `dataclasses` makes.
GENERATED: Final = "<string>"

#: Number of an object that is a key, or part of one -> the names of the fields that it compares.
_resting: Final[dict[int, tuple[str, ...]]] = per_run({})

#: Numbers of the keys that have been looked at since the last step of an operation with such a key.
_seen: Final[set[int]] = per_run(set())

#: Numbers of objects that had such a field changed.
_changed: Final[set[int]] = per_run(set())

#: id of a class -> a reference to it, and the names of the fields that its objects compare.
_fields: Final[dict[int, tuple[Any, tuple[str, ...] | None]]] = per_run({})


def compared_by(kind: type) -> tuple[str, ...] | None:
    """The fields that a data class compares and hashes, if these and nothing else decide equality; None for any other
    class."""
    known = _fields.get(id(kind))
    if known is not None and known[0]() is kind:
        return known[1]
    found: tuple[str, ...] | None = None
    fields = type.__dict__["__dict__"].__get__(kind).get("__dataclass_fields__")
    if type(fields) is dict:
        methods = [_method(kind, name) for name in ("__eq__", "__hash__")]
        if all(type(each) is types.FunctionType and each.__code__.co_filename == GENERATED for each in methods):
            found = tuple([each.name for each in fields.values() if each.compare])
    _fields[id(kind)] = weakref.ref(kind), found
    return found


def _method(kind: type, name: str) -> Any:
    spaces = [type.__dict__["__dict__"].__get__(each) for each in type.__dict__["__mro__"].__get__(kind)]
    return next((space[name] for space in spaces if name in space), None)


def note(key: Any, names: tuple[str, ...]) -> None:
    """A key is looked at: these fields decide its location."""
    run: Any = activation.active
    if run is not None and not run.is_recording:
        n = number(key)
        _resting.setdefault(n, names)
        _seen.add(n)


def are_seen() -> bool:
    """Whether such keys have been looked at since :func:`changed_fields` was called last."""
    return bool(_seen)


def changed_fields() -> list[tuple[int, str]]:
    """The fields of the keys seen that threads have changed, each by the number of its key and its name."""
    found = [(n, name) for n in _seen & _changed for name in _resting[n]]
    _seen.clear()
    return found


def are_wanted(container: int) -> bool:
    """Whether all keys of a container, given by number, are to be looked at, in an operation with such a key: they have
    not been, or some object had such a field changed."""
    if container in _looked_into:
        return bool(_changed)
    _looked_into.add(container)
    return True


#: Numbers of the containers whose keys have been looked at.
_looked_into: Final[set[int]] = per_run(set())


def change(run: Any, n: int, kind: type | None, names: Iterable[Any], site: int, thing: Any = None) -> None:
    """Attributes of the object of number ``n`` are about to change, in the step that the running thread has just
    passed."""
    compared = compared_by(kind) if kind is not None else None
    if compared is None or run.is_recording or not any(name in compared for name in names) or is_being_made(thing):
        return
    first = n not in _changed
    _changed.add(n)
    if has_concurrent_threads(run) and (n in _resting or (first and _may_be_key(thing, kind))):
        count_untracked(run, f"a change of a {kind.__name__ if kind else 'key'} that is a key", site)


def _may_be_key(thing: Any, kind: Any) -> bool:
    """Whether an object, or the one with this dictionary, may be a key: one of a frozen class, if any other object
    refers to it, since displays and code in C hash it unseen; else if it is a key of a container. The objects of
    classes that are not frozen, which programs often change, are looked at no further than so many."""
    if type(thing) is dict:
        thing = _owner_of(thing)
    frozen = bool(type.__dict__["__dict__"].__get__(kind)["__dataclass_params__"].frozen)
    if thing is None or len(_changed) > _MOST_LOOKED_FOR:
        return frozen
    owners = gc.get_referrers(thing)  # no function of ours may have the object in a closure meanwhile
    for each in owners:
        if _keeps(each, thing, frozen):
            return True
        for inner in gc.get_referrers(each) if type(each) is tuple else ():
            if inner is not owners and _keeps(inner, each, frozen):
                return True
    return False


def _owner_of(space: dict[str, Any]) -> Any:
    """The object that has this dictionary."""
    return next((each for each in gc.get_referrers(space) if dictionary(each) is space), None)


def _keeps(owner: Any, thing: Any, frozen: bool) -> bool:
    """Whether a referrer of an object has it for a key, or (for one of a frozen class) keeps it in any way."""
    if _has_key(owner, thing):
        return True
    if type(owner) is types.CellType and _is_of_ours(owner):
        return False
    return frozen and type(owner) not in _PASSING and not objects.keeps(owner)


def _is_of_ours(cell: Any) -> bool:
    """Whether a variable is one of a function of ours, which will look at the object's value."""
    closures = [each for each in gc.get_referrers(cell) if type(each) is tuple]
    functions = [each for one in closures for each in gc.get_referrers(one) if type(each) is types.FunctionType]
    return all(str(each.__module__).startswith("mazurka.") for each in functions)


#: Types of objects that refer to others while code runs: a tuple may be one of arguments.
_PASSING: Final = frozenset({types.FrameType, types.MethodType, tuple})


def _has_key(container: Any, key: Any) -> bool:
    if is_a(container, (set, frozenset)):
        return True
    return is_a(container, dict) and any(each is key for each in [*dict.keys(container)])


#: So many objects are looked for: to look through all others for one takes some milliseconds.
_MOST_LOOKED_FOR: Final = 24


def is_being_made(thing: Any) -> bool:
    """Whether a function that initialises an object, or makes it, is running."""
    frame: types.FrameType | None = sys._getframe(1)
    while thing is not None and frame is not None:
        code = frame.f_code
        if code.co_name in _MAKING and any(_is_of(frame.f_locals.get(name), thing) for name in code.co_varnames[:_FEW]):
            return True
        frame = frame.f_back
    return False


def _is_of(found: Any, thing: Any) -> bool:
    """Whether an object is a given one, or one with this dictionary."""
    return found is thing or (type(thing) is dict and dictionary(found) is thing)


_MAKING: Final = frozenset("__init__ __new__ __post_init__ __setstate__".split())
_FEW: Final = 3
