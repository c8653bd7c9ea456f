"""The locations inside containers, and how a step on them is reported to the runtime.

A container with number n has three kinds of location: its items ``("i", n, key)``, its structure ``("s", n)`` (which
keys or how many elements there are, in which order), and, once it is large, its values taken together ``("v", n)``, so
that an operation on all of them need not name each. The items of an instance's dictionary are the instance's
attributes.

Cost: about a quarter of a microsecond for each access of a step beyond the first.
"""

from __future__ import annotations

import copy
import copyreg
import functools
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import key_fields, objects
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, key_of
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import Moved
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, GLOBAL, ITEM, STRUCTURE, VALUES, Kind, Target, kind_of

#: The module of globals without a `__name__`: the one that code which asks for that name finds.
NAMELESS: Final = "builtins"

_READ: Final = Op.READ
_make: Final[Callable[[type[Access], tuple[Any, ...]], Access]] = tuple.__new__

#: The containers whose operations are known; the most special first.
BASES: Final[tuple[type, ...]] = (Counter, OrderedDict, defaultdict, dict, list, set, deque, bytearray)

#: In a container with more items, only all values together are read; writes in containers of half as many write these,
#: too, since a container may have grown or shrunk between the read and the write.
MANY: Final = 64


def bases(kind: type) -> tuple[type, ...]:
    """The method resolution order, without running code of a metaclass; the class alone while it is being made."""
    return type.__dict__["__mro__"].__get__(kind) or (kind,)


def base_of(thing: Any) -> Any:
    """The builtin whose methods read a container directly, bypassing overrides of its own class."""
    kind = type(thing)
    return kind if kind in _EXACT else next(each for each in bases(kind) if each in _EXACT)


_EXACT: Final = frozenset(BASES)


def length(thing: Any) -> int:
    """How many items a container has."""
    found: int = base_of(thing).__len__(thing)
    return found


def item(n: int, key: Any) -> Target:
    """The location of an item; in the dictionary of an instance or class, of the attribute."""
    stands = key if type(key) in PLAIN else key_of(key)
    if stands is UNKNOWN:
        with_unknown.add(n)
    return item_at(n, stands)


#: Numbers of the containers of which keys were used, or looked at, that are unknown.
with_unknown: Final[set[int]] = per_run(set())


def item_at(n: int, stands: Any) -> Target:
    """The location of an item whose key's part, the result of :func:`key_of`, is known."""
    return (ITEM, n, stands) if n > 0 else (ATTRIBUTE, -n, stands)


def reads_of(targets: Iterable[Target]) -> list[Access]:
    """Reads of these targets; made past the constructor, which takes twice as long."""
    return [_make(Access, (_READ, target, None)) for target in targets]


def is_namespace(thing: Any) -> bool:
    """Whether a dictionary holds the globals of a module."""
    return type(thing) is dict and ("__spec__" in thing or "__builtins__" in thing)


def space_name(space: dict[str, Any]) -> str:
    """The key of a namespace in targets: the name of its module; with a number for a module that has no code, and is
    not found under its name."""
    name = space.get("__name__", NAMELESS)
    if type(name) is not str or "__builtins__" in space:
        return str(name)
    known = sys.modules.get(name)
    return name if known is not None and objects.dictionary(known) is space else f"{name} {number(space)}"


def _is_special(name: Any) -> bool:
    return type(name) is str and name.startswith("__")


def contents(thing: Any, keys: bool = False) -> list[Access]:
    """Reads of the whole content of a container, or of its keys only; a set has only keys."""
    n = number(thing)
    found: list[Target] = [(STRUCTURE, n)]
    if is_namespace(thing):
        module, file = space_name(thing), thing.get("__file__")
        names = [key for key in [*dict.keys(thing)] if not _is_special(key)]
        if file in sites.instrumented:
            names += [name for name in sites.variables(file) if name not in thing]  # its code may store them
        return reads_of([*found, *[(GLOBAL, module, name) for name in names]])
    if keys or is_a(thing, set) or not is_a(thing, BASES):
        pass
    elif length(thing) > MANY and n > 0:  # the attributes of an object are written by name, one by one
        found.append((VALUES, n))
    elif is_a(thing, dict):
        found += [item(n, key) for key in [*dict.keys(thing)]]
    else:
        found += [(ITEM, n, index) for index in range(length(thing))]
    return reads_of(found)


def values_changed(thing: Any, n: int) -> tuple[Access, ...]:
    """The accesses of replacing an item besides the write of the item itself, which leaves other values as they are."""
    return _changed(VALUES, n) if length(thing) > MANY and n > 0 else ()


@functools.lru_cache(maxsize=1024)
def _changed(kind: str, n: int) -> tuple[Access, ...]:
    """The change of a location of a container, the same object for all steps: most logs have many."""
    return (Access(Op.RMW, (kind, n)),)


def keys_added(thing: Any, n: int, new: int = 1) -> tuple[Access, ...]:
    """The accesses of adding some new items to a dictionary, besides the writes of these.

    If many items have one location for all values from here on, the values are read: earlier writes of single items
    come before that. The program does not read them: where that would make data races, it is untracked.
    """
    if not length(thing) <= MANY < length(thing) + new or n < 0:
        return _changed(STRUCTURE, n)
    keys, run = Access(Op.RMW, (STRUCTURE, n)), activation.active
    values = Access(Op.RMW, (VALUES, n))
    if run is None or run.is_recording or not has_concurrent_threads(run):
        return (keys, values)
    if run.finds_races:
        text = "a dictionary that grows from few items to many"
        run.untracked[text] = run.untracked.get(text, 0) + 1
        return (keys, values)
    return (keys, values, *[Access(Op.READ, item(n, key)) for key in [*dict.keys(thing)]])


def perform(run: Any, site: int, report: Callable[..., object], *args: Any) -> None:
    """Let ``report`` pass the step of an operation on containers. The locations that the operation touches may depend
    on their content: if other threads move while its thread stands before it, ``report`` is called once more."""
    if run.is_recording or site not in run.points:
        report(run, *args)
        return
    task = run.current
    task.doubts = True
    try:
        report(run, *args)
    except Moved:
        task.chosen = True
        report(run, *args)
        task.chosen = False
    task.doubts = False


#: Containers of the library that the interpreter, or uninstrumented code, uses.
_GONE_BY: Final = (
    *(sys.modules, sys.path, sys.meta_path, sys.path_hooks, sys.path_importer_cache, copyreg.dispatch_table),
    *(getattr(copy, name, None) for name in ("_copy_dispatch", "_deepcopy_dispatch")),
)
_GONE_BY_IDS: Final = frozenset(map(id, _GONE_BY))


def is_gone_by(thing: Any) -> bool:
    """Whether an object is one of these."""
    return id(thing) in _GONE_BY_IDS


#: id of the dictionary of an instance -> the locations, beside their own, through which its attributes are read: the
#: state of an object in C (`repr(types.SimpleNamespace())`), or of one whose methods are not instrumented.
beside_state: dict[int, tuple[Target, ...]] = per_run({})


def emit(
    run: Any, thing: Any, site: int, op: Op, target: Target, more: tuple[Access, ...] = (), look: Any = None
) -> None:
    """Pass one step; in detail mode with names and, if ``look`` gives it, the value."""
    if run.is_recording and not (run.detail or beside_state or mortal or (op is not _READ and is_gone_by(thing))):
        run.visit(op, target, site, None, more)  # the rest is without effect
        return
    if op is not _READ and is_gone_by(thing) and has_concurrent_threads(run):
        text = "changes of tables that imports, copies or pickles use"
        run.untracked[text] = run.untracked.get(text, 0) + 1
    if beside_state and id(thing) in beside_state and number(thing) < 0:  # not an earlier one at this address
        more = (
            *more,
            *[_make(Access, (_READ if op is _READ else Op.RMW, each, None)) for each in beside_state[id(thing)]],
        )
    if mortal and op is not _READ:
        more = (*more, *_ends_of_items(thing, {target, *[each.target for each in more if each.op is not _READ]}))
    if key_fields.are_seen():
        more = (*more, *_changed_fields(thing))
    if not run.detail or (op is _READ and not run.shows(site)):
        run.visit(op, target, site, None, more)
    else:
        _emit_detail(run, thing, site, op, target, more, look)
    if op is not _READ and type(thing) is dict and (n := number(thing)) < 0:  # attributes of an instance
        names = [each[2] for each in (target, *[access.target for access in more]) if kind_of(each) is Kind.ATTRIBUTE]
        key_fields.change(run, -n, objects.kind_of_owner(n), names, site, thing)


#: id of an object that a thread has looked up by a weak reference -> a weak reference to it, and the locations of its
#: life. A step that lets go of a reference to it would have ended it, had it come before that thread kept the object.
mortal: dict[int, tuple[Callable[[], Any], list[Target]]] = per_run({})


def ends_of(things: Iterable[Any]) -> list[Access]:
    """The accesses to the lives of objects of which a step lets go."""
    found = [mortal[id(each)] for each in things if id(each) in mortal]
    return [Access(Op.RMW, target) for refers, targets in found if refers() is not None for target in targets]


def _ends_of_items(thing: Any, changed: set[Target]) -> list[Access]:
    """The accesses to the lives of objects in a container, of those items that are changed."""
    n = number(thing)
    if is_a(thing, dict):
        return ends_of([value for key, value in [*dict.items(thing)] if item(n, key) in changed])
    if not is_a(thing, BASES):
        return []
    held = [*base_of(thing).__iter__(thing)]
    if (STRUCTURE, n) in changed:
        return ends_of(held)
    return ends_of([each for index, each in enumerate(held) if (ITEM, n, index) in changed])


def _changed_fields(thing: Any) -> list[Access]:
    """Reads of the changed fields of the keys of an operation on a container, and of the keys in it."""
    if is_a(thing, (dict, set)) and key_fields.are_wanted(number(thing)):
        for each in [*dict.keys(thing)] if is_a(thing, dict) else [*set.__iter__(thing)]:
            if type(each) not in PLAIN:
                key_of(each)
    return reads_of([(ATTRIBUTE, n, name) for n, name in key_fields.changed_fields()])


def _emit_detail(run: Any, thing: Any, site: int, op: Op, target: Target, more: tuple[Access, ...], look: Any) -> None:
    for each in () if run.keyed else (target, *[access.target for access in more]):
        if type(each[1]) is int and each[1] in (target[1], -target[1]):
            _label(run, each, thing)
    value: Any = None
    if look is not None:
        value = objects.peek(look, "" if run.keyed else run.names[target])
    elif not run.keyed:
        value = lambda: objects.describe(thing)  # noqa: E731  # like the result of `peek`
    run.visit(op, target, site, value, more)


def emit_reads(run: Any, found: list[Any], reads: list[Access], site: int) -> None:
    """Pass one step that reads several locations of some containers."""
    if run.detail and not run.keyed:
        by_number = {abs(number(each)): each for each in found}
        for access in reads:
            if kind_of(access.target) is Kind.GLOBAL:
                run.names.setdefault(access.target, access.target[2])
                continue
            known = access.target[1]  # a name, of the state of a module
            thing = by_number.get(abs(known)) if type(known) is int else None
            if thing is not None:
                _label(run, access.target, thing)
    if beside_state:
        states = [state for each in found[1:] for state in beside_state.get(id(each), ())]
        reads = [*reads, *reads_of(states)]
    emit(run, found[0], site, reads[0].op, reads[0].target, tuple(reads[1:]))


def _label(run: Any, target: Target, thing: Any) -> None:
    if target not in run.names:
        objects.label(run, target, thing, _part(thing, target))


def _part(thing: Any, target: Target) -> str:
    match kind_of(target):
        case Kind.ITEM:
            text = _key_in_words(target[2])
            return f" has {text}" if is_a(thing, (set, frozenset)) else f"[{text}]"
        case Kind.ATTRIBUTE:
            return f".{target[2]}"
        case Kind.VALUES:
            return " (values)"
        case _:
            return " (keys)" if is_a(thing, dict) else " (elements)"


def _key_in_words(key: Any) -> str:
    """A key as :func:`.objects.value_key` has it: classes and functions by their names, other objects as ``...``."""
    if type(key) is not tuple:
        return repr(key)
    if key and key[0] == "object" and len(key) == 2:
        known = objects.living().get(key[1])
        return str(known.__name__) if isinstance(known, (type, types.FunctionType)) else "..."
    return f"({', '.join(map(_key_in_words, key))}{',' * (len(key) == 1)})"
