"""The reads and writes of operations on dictionaries, and the rules for keys that sets have, too.

For the locations and the rules see :mod:`containers`.

Cost: one to three microseconds an operation, most of it the runtime's.
"""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import additions, deep_access, objects, untracked
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.locations import (
    contents,
    emit,
    is_namespace,
    item,
    item_at,
    keys_added,
    length,
    space_name,
    values_changed,
    with_unknown,
)
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.shapes import calling, comes_or_goes
from mazurka.program.python.semantics.views import moved, reached
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import PRESENCE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, STRUCTURE, Kind, Target, kind_of

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW


def reads_of_arguments(run: Any, args: Iterable[Any], site: int) -> list[Access]:
    """The reads of the content of arguments that are containers, or have a state, and the effects of iterating over
    them."""
    found: list[Access] = []
    for each in args:
        if type(each) not in PLAIN:
            behind = reached(each)
            found += [access for container in behind for access in contents(container)]
            found += moved(run, each, site)
            if not behind and not run.is_recording:
                found += deep_access.reads_of_iteration(run, each, site)
    return found


def _find(thing: dict[Any, Any], key: Any, stands: Any) -> Any:
    """The value of a key, found without running code of the program (which might keep a hash). MISSING if there is
    surely none, UNSEEN if that is not known."""
    if type(key) in PLAIN:
        return dict.get(thing, key, objects.MISSING)
    if stands is UNKNOWN:
        nothing = objects.UNSEEN if thing else objects.MISSING
        return next((value for each, value in dict.items(thing) if each is key), nothing)
    if is_quiet(key):
        return dict.get(thing, key, objects.MISSING)
    running = activation.active
    if running is not None and running.is_recording:
        return objects.UNSEEN  # to look at all keys takes too long in recordings, whose threads are real
    return next((value for each, value in dict.items(thing) if key_of(each) == stands), objects.MISSING)


def _has(thing: dict[Any, Any], key: Any, stands: Any) -> bool:
    """Whether there surely is a value under a key."""
    found = _find(thing, key, stands)
    return found is not objects.MISSING and found is not objects.UNSEEN


def _look(thing: dict[Any, Any], key: Any) -> Callable[[], Any]:
    return lambda: value_of_key(thing, key, lambda stands: _find(thing, key, stands))


def value_of_key(thing: Any, key: Any, look: Callable[[Any], Any]) -> Any:
    """The value of a key's location, as far as it may be recorded: none if the key is unknown, since other keys share
    the location."""
    stands = key_of(key)
    return objects.UNSEEN if stands is UNKNOWN and getattr(activation.active, "keyed", False) else look(stands)


def admit_unknown(run: Any, thing: int, keys: Iterable[Any], site: int) -> None:
    """An unknown key is used: if the container has other keys, it is not known which of them equal it."""
    with_unknown.add(thing)
    if any(key_of(each) is not UNKNOWN for each in keys):
        text = f"keys with equality defined by the program, beside other keys, at {sites.location(site)}"
        run.untracked[text] = run.untracked.get(text, 0) + 1


def mixed_keys(run: Any) -> int:
    """The number of containers of which both unknown and other keys were used in a run: no location stands for a key
    that may be both."""
    if not with_unknown or run.is_recording:
        return 0
    known = (each for each in run.touched if kind_of(each) is Kind.ITEM and each[2] != UNKNOWN)
    return len(with_unknown.intersection(each[1] for each in known))


def _are_variables(thing: Any, keys: Iterable[Any]) -> bool:
    """Whether the module of this namespace takes these names for variables."""
    file = thing.get("__file__")
    return file in sites.instrumented and all(key in sites.variables(file) for key in keys)


def _namespace(run: Any, thing: Any, site: int, op: Op, keys: Iterable[Any]) -> None:
    """Report accesses to globals by way of their dictionary. Code that takes them for constants reports no further
    reads."""
    module = space_name(thing)
    accesses = [Access(op, (GLOBAL, module, key)) for key in keys]
    is_harmless = op is _READ or not has_concurrent_threads(run) or _are_variables(thing, keys)
    constants = () if is_harmless else tuple(keys)
    unread = op is _WRITE and constants and _is_of_compiled(thing)
    if constants and not unread:
        _count_assignment(run, site)
    if accesses:
        run.visit(op, accesses[0].target, site, None, tuple(accesses[1:]))
    if unread:
        for key in constants:
            _look_for_change(run, thing, key, site)


def _is_of_compiled(thing: Any) -> bool:
    """Whether all code that has a namespace for its globals is known: the program compiled it while it ran."""
    return thing.get("__file__") in sites.names_of_compiled


def _look_for_change(run: Any, thing: Any, key: Any, site: int) -> None:
    """A value is about to be stored in a namespace. Code that takes the global for a constant is affected only if it
    names the global, and if the value is not there already: this is known when it has been stored."""
    if not any(key in names for names in sites.names_of_compiled.values()):
        untracked.unread_constants[site, id(thing)] = functools.partial(_count_assignment, run, site)
        return
    before = dict.get(thing, key, objects.MISSING)

    def look(namespace: Any) -> None:
        if dict.get(thing, key, objects.MISSING) is not before:
            _count_assignment(namespace, site)
        else:
            untracked.unread_constants[site, id(thing)] = functools.partial(_count_assignment, run, site)

    untracked.look_after_step(run, look)


def _count_assignment(run: Any, site: int) -> None:
    untracked.count_untracked(run, "assignment by way of globals() or vars()", site)


def read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``thing[key]``, ``get`` or ``in``."""
    if args and is_namespace(thing):
        _namespace(run, thing, site, _READ, args[:1])
    elif args:
        key = args[0]
        stands = key if type(key) in PLAIN else key_of(key)
        if stands is UNKNOWN:
            admit_unknown(run, number(thing), dict.keys(thing), site)
        emit(run, thing, site, _READ, item_at(number(thing), stands), (), _look(thing, key))


#: Dictionaries in which the order of keys is that of their insertion, and nothing else depends on it.
_BY_INSERTION: Final = frozenset({dict, defaultdict, Counter})


def write(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``thing[key] = value``."""
    if is_namespace(thing):
        _namespace(run, thing, site, _WRITE, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if n < 0:
        _hide(run, n, (stands,), site)
    if stands is UNKNOWN:
        admit_unknown(run, number(thing), dict.keys(thing), site)
    target, present = item_at(n, stands), _has(thing, args[0], stands)
    more = values_changed(thing, n) if present else keys_added(thing, n)
    op = _WRITE
    if is_contested(run, site, target, not present):
        op, more = _RMW, (*values_changed(thing, n), *keys_added(thing, n))
    emit(run, thing, site, op, target, more, _look(thing, args[0]))
    if not (present and op is _WRITE) and n > 0 and type(thing) in _BY_INSERTION:
        additions.note_addition(run, target)


def _hide(run: Any, n: int, keys: Iterable[Any] | None, site: int) -> None:
    """The dictionary of an instance, of number `n`, gets or loses attributes (``keys``; None if they are not known):
    these may hide attributes of the class."""
    kind = objects.kind_of_owner(n)
    if keys is None:
        if has_concurrent_threads(run):
            text = f"attributes by way of a dictionary, from an iterator, at {sites.location(site)}"
            run.untracked[text] = run.untracked.get(text, 0) + 1
        return
    for key in [key for key in keys if type(key) is str]:
        if key not in sites.stored:
            comes_or_goes(run, key)
        if kind is not None and key in shape_of(kind).operations and has_concurrent_threads(run):
            text = f"assignment to {kind.__name__}.{key} at {sites.location(site)}"
            run.untracked[text] = run.untracked.get(text, 0) + 1


def is_contested(run: Any, site: int, target: Target, changes: bool) -> bool:
    """Whether the effect of an operation depends on the presence of a key, which other threads change
    (:meth:`Sharing.store`).

    Such an operation is always reported as a read and a change of the key, and of the set of keys: so its accesses are
    the same in every order.
    """
    if run.is_recording or run.solo or site not in run.points:
        return False
    if PRESENCE_POINTS in run.points:
        return True
    run.sharing.store(run.current.index, target, changes)
    return False


def remove(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``del thing[key]``, or ``pop``."""
    if not args:
        return
    if is_namespace(thing):
        _namespace(run, thing, site, _RMW, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if stands is UNKNOWN:
        admit_unknown(run, number(thing), dict.keys(thing), site)
    if n < 0:
        _hide(run, n, (stands,), site)
    changes = _find(thing, args[0], stands) is not objects.MISSING
    changes |= is_contested(run, site, item_at(n, stands), changes)
    more = (Access(_RMW, (STRUCTURE, n)),) if changes else ()
    target = item_at(n, stands)
    emit(run, thing, site, _RMW if changes else _READ, target, more, _look(thing, args[0]))
    if changes and n > 0 and type(thing) in _BY_INSERTION:
        additions.note_addition(run, target)


def set_default(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``setdefault``."""
    if not args:
        return
    if is_namespace(thing):
        _namespace(run, thing, site, _RMW, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if stands is UNKNOWN:
        admit_unknown(run, number(thing), dict.keys(thing), site)
    if n < 0:
        _hide(run, n, (stands,), site)
    target, present = item_at(n, stands), _has(thing, args[0], stands)
    present &= not is_contested(run, site, target, not present)
    more = () if present else keys_added(thing, n)
    emit(run, thing, site, _READ if present else _RMW, target, more, _look(thing, args[0]))
    if not present and n > 0 and type(thing) in _BY_INSERTION:
        additions.note_addition(run, target)


#: The default factory as `__missing__` reads it, whatever other attribute of that name there may be.
_factory_of: Final[Callable[[Any], Any]] = defaultdict.__dict__["default_factory"].__get__


def read_or_make(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``thing[key]`` of a `defaultdict`."""
    stands, factory = key_of(args[0]), _factory_of(thing)
    if factory is None or (
        _has(thing, args[0], stands) and not is_contested(run, site, item(number(thing), args[0]), False)
    ):
        read(run, thing, site, args)
    else:
        set_default(run, thing, site, args)
        if type(factory) in BUILTIN_METHODS:
            for report in calling:
                report(run, factory, site, (), {})


def pop_item(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``popitem``."""
    n = number(thing)
    if not length(thing):
        changes = not run.is_recording and site in run.points and PRESENCE_POINTS in run.points
        emit(run, thing, site, _RMW if changes else _READ, (STRUCTURE, n))
        return
    first = bool(args) and is_a(thing, OrderedDict) and type(args[0]) in (bool, int) and not args[0]
    kind = OrderedDict if is_a(thing, OrderedDict) else dict
    key = next(kind.__iter__(thing) if first else kind.__reversed__(thing))
    if n < 0:
        _hide(run, n, (key,), site)
    is_contested(run, site, item(n, key), True)
    emit(run, thing, site, _RMW, (STRUCTURE, n), (Access(_RMW, item(n, key)),))


def clear(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    """``clear``."""
    if is_namespace(thing):
        _namespace(run, thing, site, _RMW, [*dict.keys(thing)])
        return
    n = number(thing)
    targets = [item(n, key) for key in [*dict.keys(thing)]]
    if n < 0:
        _hide(run, n, dict.keys(thing), site)
    for target in targets:
        is_contested(run, site, target, True)
    emit(run, thing, site, _RMW, (STRUCTURE, n), tuple([Access(_WRITE, target) for target in targets]))


def update(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """``update`` and its like, of a `Counter`, too."""
    n = number(thing)
    changed = _elements_given(args) if is_a(thing, Counter) else _keys_given(args)
    if is_namespace(thing):
        _namespace(run, thing, site, _WRITE, changed or dict.keys(thing))
        return
    if n < 0:
        _hide(run, n, changed, site)
    if changed is None:
        changed = [*dict.keys(thing)]  # the others are reported as they come, see `reentrant`
    more = [Access(_WRITE, item(n, key)) for key in changed]
    for access in more:
        is_contested(run, site, access.target, True)
    keys, *read = keys_added(thing, n, len(changed))
    more += [*read, *values_changed(thing, n), *reads_of_arguments(run, args, site)]
    emit(run, thing, site, keys.op, keys.target, tuple(more))


def combine_counter(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """In-place operators of a `Counter`: they go over all its keys, to drop those without a positive count."""
    n = number(thing)
    changed = dict.fromkeys([*dict.keys(thing), *(_elements_given(args) or ())])
    keys, *more = keys_added(thing, n, len(changed) - length(thing))
    more += [Access(_WRITE, item(n, key)) for key in changed]
    more += [*values_changed(thing, n), *reads_of_arguments(run, args, site)]
    emit(run, thing, site, keys.op, keys.target, tuple(more))


def _elements_given(args: tuple[Any, ...]) -> list[Any] | None:
    """The keys that a `Counter`, which counts elements, gets from these arguments, or None if they are not known."""
    keys: list[Any] = []
    for each in args:
        if is_a(each, dict):
            keys += dict.keys(each)
        elif type(each) in (list, tuple, set, frozenset, str, range, deque):
            keys += each
        else:
            return None
    return keys


def _keys_given(args: tuple[Any, ...]) -> list[Any] | None:
    """The keys that `update` gets, or None if looking at them would run code or use an iterator up."""
    keys: list[Any] = []
    for each in args:
        if is_a(each, dict):
            keys += dict.keys(each)
        elif type(each) is list or type(each) is tuple or type(each) is set or type(each) is frozenset:
            for pair in list(each):
                if (type(pair) is not tuple and type(pair) is not list) or len(pair) != 2:
                    return None
                keys.append(pair[0])
        else:
            return None
    return keys
