"""What operations on Python's containers read and write, as accesses to named locations.

For the locations see :mod:`locations`. The rules:

- replacing an existing item WRITEs the item; adding or removing one also changes (RMW) the structure;
- looking one up READs the item (in a sequence also the structure, since what index 3 is depends on it);
- an operation on everything READs the structure, and each item too unless it only needs keys or the length.

So ``d['a']`` and ``d['b']`` do not conflict, two insertions conflict by the structure only, and iteration
conflicts with whatever it would notice. Elements of a set are its keys; a set has no values.

A *handler* reports the accesses of one operation to the runtime; the operation itself follows in the program's own
code.

Cost: one to three microseconds an operation, most of it the runtime's.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import objects, recurring_classes, untracked
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.locations import (
    BASES,
    MANY,
    base_of,
    bases,
    contents,
    emit,
    emit_reads,
    is_namespace,
    item,
    item_at,
    length,
    space_name,
    values_changed,
)
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import ClassShape, Handler, comes_or_goes, shapes
from mazurka.program.python.semantics.views import moved, reached
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import PRESENCE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, ITEM, STRUCTURE, Kind, Target, kind_of

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW


def read_structure(run: Any, thing: Any, site: int, _args: tuple[Any, ...] = ()) -> None:
    """How many there are, or which keys."""
    emit(run, thing, site, _READ, (STRUCTURE, number(thing)))


def read_all(run: Any, thing: Any, site: int, args: tuple[Any, ...] = ()) -> None:
    """Everything in it and in the arguments."""
    emit_reads(run, [thing], [*contents(thing), *_arguments(run, args, site)], site)


def _arguments(run: Any, args: Iterable[Any], site: int) -> list[Access]:
    """Reads of all that is in those arguments that are containers, and what going through the others does."""
    found: list[Access] = []
    for each in args:
        if type(each) not in PLAIN:
            found += [access for container in reached(each) for access in contents(container)]
            found += moved(run, each, site)
    return found


def change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...] = ()) -> None:
    """Anything in a sequence may move; a read of an index reads the structure too."""
    emit(run, thing, site, _RMW, (STRUCTURE, number(thing)), tuple(_arguments(run, args, site)))


# -- dictionaries -----------------------------------------------------------------------------------------------------


def _find(thing: dict[Any, Any], key: Any, stands: Any) -> Any:
    """What is there under a key, had without running code of the program (it might keep a hash). MISSING if there is
    surely nothing, UNSEEN if that can't be told."""
    if type(key) in PLAIN:
        return dict.get(thing, key, objects.MISSING)
    if stands is UNKNOWN:
        nothing = objects.UNSEEN if thing else objects.MISSING
        return next((value for each, value in dict.items(thing) if each is key), nothing)
    if is_quiet(key):
        return dict.get(thing, key, objects.MISSING)
    running = activation.active
    if running is not None and running.is_recording:
        return objects.UNSEEN  # to look at all keys takes too long while threads are real ones
    return next((value for each, value in dict.items(thing) if key_of(each) == stands), objects.MISSING)


def _has(thing: dict[Any, Any], key: Any, stands: Any) -> bool:
    """Whether there surely is something under a key."""
    found = _find(thing, key, stands)
    return found is not objects.MISSING and found is not objects.UNSEEN


def _look(thing: dict[Any, Any], key: Any) -> Callable[[], Any]:
    return lambda: _tell(thing, key, lambda stands: _find(thing, key, stands))


def _tell(thing: Any, key: Any, look: Callable[[Any], Any]) -> Any:
    """What may be told of a key: as a value of its location nothing if it is unknown, since others have that, too."""
    stands = key_of(key)
    return objects.UNSEEN if stands is UNKNOWN and getattr(activation.active, "keyed", False) else look(stands)


def _admit(run: Any, thing: int, keys: Iterable[Any], site: int) -> None:
    """An unknown key is used: if there are others, it is not known which of them equal it."""
    if not run.is_recording:
        _with_unknown.add(thing)
    if any(key_of(each) is not UNKNOWN for each in keys):
        text = f"keys that decide themselves what they equal, among others, at {sites.location(site)}"
        run.untracked[text] = run.untracked.get(text, 0) + 1


#: Numbers of the containers of which unknown keys were used.
_with_unknown: Final[set[int]] = per_run(set())


def mixed_keys(run: Any) -> int:
    """Of how many containers both unknown keys were used in a run and others: no location tells of what they share."""
    if not _with_unknown:
        return 0
    known = (each for each in run.touched if kind_of(each) is Kind.ITEM and each[2] != UNKNOWN)
    return len(_with_unknown.intersection(each[1] for each in known))


def _are_variables(thing: Any, keys: Iterable[Any]) -> bool:
    """Whether the module that has this namespace takes these names for variables."""
    file = thing.get("__file__")
    return file in sites.instrumented and all(key in sites.variables(file) for key in keys)


def _namespace(run: Any, thing: Any, site: int, op: Op, keys: Iterable[Any]) -> None:
    """Globals by way of their dictionary. Code that takes them for constants does not look again."""
    module = space_name(thing)
    accesses = [Access(op, (GLOBAL, module, key)) for key in keys]
    constants = () if op is _READ or _are_variables(thing, keys) else tuple(keys)
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
    """What is about to be stored in a namespace matters to code that takes it for a constant only if it names it, and
    if it is not there already: that is known when it has been stored."""
    if not any(key in names for names in sites.names_of_compiled.values()):
        untracked.unread_constants[site, id(thing)] = functools.partial(_count_assignment, run, site)
        return
    before = dict.get(thing, key, objects.MISSING)

    def look(told: Any) -> None:
        if dict.get(thing, key, objects.MISSING) is not before:
            _count_assignment(told, site)
        else:
            untracked.unread_constants[site, id(thing)] = functools.partial(_count_assignment, run, site)

    untracked.look_after_step(run, look)


def _count_assignment(run: Any, site: int) -> None:
    untracked.count_untracked(run, "assignment by way of globals() or vars()", site)


def _dict_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args and is_namespace(thing):
        _namespace(run, thing, site, _READ, args[:1])
    elif args:
        key = args[0]
        stands = key if type(key) in PLAIN else key_of(key)
        if stands is UNKNOWN:
            _admit(run, number(thing), dict.keys(thing), site)
        emit(run, thing, site, _READ, item_at(number(thing), stands), (), _look(thing, key))


def _dict_write(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if is_namespace(thing):
        _namespace(run, thing, site, _WRITE, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if n < 0:
        _hide(run, n, (stands,), site)
    if stands is UNKNOWN:
        _admit(run, number(thing), dict.keys(thing), site)
    target, present = item_at(n, stands), _has(thing, args[0], stands)
    more = values_changed(thing, n) if present else (Access(_RMW, (STRUCTURE, n)),)
    op = _WRITE
    if _is_contested(run, site, target, not present):
        op, more = _RMW, (*values_changed(thing, n), Access(_RMW, (STRUCTURE, n)))
    emit(run, thing, site, op, target, more, _look(thing, args[0]))


def _hide(run: Any, n: int, keys: Iterable[Any] | None, site: int) -> None:
    """The dictionary of an instance, of number `n`, gets or loses attributes, None if it is not known which: they may
    hide those of its class."""
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


def _is_contested(run: Any, site: int, target: Target, changes: bool) -> bool:
    """Whether what an operation does follows from whether a key is there, which others change (:meth:`Sharing.store`).

    Then it is told to look at the key and to change it, and which keys there are, in any case: so it touches the same
    in whatever order it comes.
    """
    if run.is_recording or run.solo or site not in run.points:
        return False
    if PRESENCE_POINTS in run.points:
        return True
    run.sharing.store(run.current.index, target, changes)
    return False


def _dict_remove(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if not args:
        return
    if is_namespace(thing):
        _namespace(run, thing, site, _RMW, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if stands is UNKNOWN:
        _admit(run, number(thing), dict.keys(thing), site)
    if n < 0:
        _hide(run, n, (stands,), site)
    changes = _find(thing, args[0], stands) is not objects.MISSING
    changes |= _is_contested(run, site, item_at(n, stands), changes)
    more = (Access(_RMW, (STRUCTURE, n)),) if changes else ()
    emit(run, thing, site, _RMW if changes else _READ, item_at(n, stands), more, _look(thing, args[0]))


def _dict_setdefault(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if not args:
        return
    if is_namespace(thing):
        _namespace(run, thing, site, _RMW, args[:1])
        return
    key = args[0]
    n, stands = number(thing), key if type(key) in PLAIN else key_of(key)
    if stands is UNKNOWN:
        _admit(run, number(thing), dict.keys(thing), site)
    if n < 0:
        _hide(run, n, (stands,), site)
    present = _has(thing, args[0], stands)
    present &= not _is_contested(run, site, item_at(n, stands), not present)
    more = () if present else (Access(_RMW, (STRUCTURE, n)),)
    emit(run, thing, site, _READ if present else _RMW, item_at(n, stands), more, _look(thing, args[0]))


#: As `__missing__` reads it, whatever else an attribute of that name may be.
_factory_of: Final[Callable[[Any], Any]] = defaultdict.__dict__["default_factory"].__get__


def _default_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    stands, factory = key_of(args[0]), _factory_of(thing)
    if factory is None or (
        _has(thing, args[0], stands) and not _is_contested(run, site, item(number(thing), args[0]), False)
    ):
        _dict_read(run, thing, site, args)
    else:
        _dict_setdefault(run, thing, site, args)
        if type(factory) in BUILTIN_METHODS:
            for tell in calling:
                tell(run, factory, site, (), {})


#: The function that reports a call (:mod:`calls`).
calling: Final[list[Callable[..., None]]] = []


def _dict_popitem(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    if not length(thing):
        told = not run.is_recording and site in run.points and PRESENCE_POINTS in run.points
        emit(run, thing, site, _RMW if told else _READ, (STRUCTURE, n))
        return
    first = bool(args) and is_a(thing, OrderedDict) and type(args[0]) in (bool, int) and not args[0]
    kind = OrderedDict if is_a(thing, OrderedDict) else dict
    key = next(kind.__iter__(thing) if first else kind.__reversed__(thing))
    if n < 0:
        _hide(run, n, (key,), site)
    _is_contested(run, site, item(n, key), True)
    emit(run, thing, site, _RMW, (STRUCTURE, n), (Access(_RMW, item(n, key)),))


def _dict_clear(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    n = number(thing)
    targets = [item(n, key) for key in [*dict.keys(thing)]]
    if n < 0:
        _hide(run, n, dict.keys(thing), site)
    for target in targets:
        _is_contested(run, site, target, True)
    emit(run, thing, site, _RMW, (STRUCTURE, n), tuple([Access(_WRITE, target) for target in targets]))


def _dict_update(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    changed = _elements_given(args) if is_a(thing, Counter) else _keys_given(args)
    if is_namespace(thing):
        _namespace(run, thing, site, _WRITE, changed or dict.keys(thing))
        return
    if n < 0:
        _hide(run, n, changed, site)
    if changed is None:
        changed = [*dict.keys(thing)]  # the others are reported as they come, see `amid`
    more = [Access(_WRITE, item(n, key)) for key in changed]
    for access in more:
        _is_contested(run, site, access.target, True)
    if length(thing) * 2 <= MANY < length(thing) + len(changed) and has_concurrent_threads(run):
        # who has changed its values until now told of each, and not of all together
        text = f"a dictionary that grows from few items to many at {sites.location(site)}"
        run.untracked[text] = run.untracked.get(text, 0) + 1
    emit(run, thing, site, _RMW, (STRUCTURE, n), (*values_changed(thing, n), *more, *_arguments(run, args, site)))


def _counter_combined(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """In-place operators of a `Counter`: they go over all its keys, to drop those without a positive count."""
    n = number(thing)
    changed = dict.fromkeys([*dict.keys(thing), *(_elements_given(args) or ())])
    more = [Access(_WRITE, item(n, key)) for key in changed]
    emit(run, thing, site, _RMW, (STRUCTURE, n), (*values_changed(thing, n), *more, *_arguments(run, args, site)))


def _elements_given(args: tuple[Any, ...]) -> list[Any] | None:
    """The same for a `Counter`, which counts the elements."""
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
    """The keys that `update` gets, or None if finding out would run code or use an iterator up."""
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


# -- sequences ---------------------------------------------------------------------------------------------------------


def _index(thing: Any, key: Any) -> int | None:
    """A valid index, counted from the front; None for slices, and for what will be an error."""
    if is_a(key, int):
        total = length(thing)
        index = int.__int__(key)
        if index < 0:
            index += total
        if 0 <= index < total:
            return index
    return None


def _element(thing: Any, index: int) -> Callable[[], Any]:
    return lambda: base_of(thing).__getitem__(thing, index) if index < length(thing) else objects.MISSING


def _sequence_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    index = _index(thing, args[0])
    if index is None:
        read_all(run, thing, site)
        return
    n = number(thing)
    emit(run, thing, site, _READ, (ITEM, n, index), (Access(_READ, (STRUCTURE, n)),), _element(thing, index))


def _sequence_write(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    index = _index(thing, args[0])
    if index is None and is_a(args[0], int):
        read_structure(run, thing, site)  # there is no such element: nothing changes
        return
    if index is None:
        change_all(run, thing, site, args[1:])
        return
    n = number(thing)
    more = (*values_changed(thing, n), Access(_READ, (STRUCTURE, n)))
    emit(run, thing, site, _WRITE, (ITEM, n, index), more, _element(thing, index))


# -- sets ------------------------------------------------------------------------------------------


def _in_set(thing: Any, key: Any) -> Any:
    """Whether an element is in a set; UNSEEN if that can't be decided without running code of the program."""
    if type(key) in PLAIN:
        return set.__contains__(thing, key)
    stands = key_of(key)
    if stands is UNKNOWN:
        if any(each is key for each in set.__iter__(thing)):
            return True
        return objects.UNSEEN if set.__len__(thing) else False
    if is_quiet(key):
        return set.__contains__(thing, key)
    return any(key_of(each) == stands for each in set.__iter__(thing))


def _seen_in_set(thing: Any, key: Any) -> Callable[[], Any]:
    return lambda: _tell(thing, key, lambda _stands: _in_set(thing, key))


def _set_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        stands = key_of(args[0])
        if stands is UNKNOWN:
            _admit(run, number(thing), set.__iter__(thing), site)
        emit(run, thing, site, _READ, (ITEM, number(thing), stands), (), _seen_in_set(thing, args[0]))


def _set_add(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        _set_change(run, thing, site, args[0], _in_set(thing, args[0]) is not True)


def _set_remove(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        _set_change(run, thing, site, args[0], _in_set(thing, args[0]) is not False)


def _set_change(run: Any, thing: Any, site: int, key: Any, changes: bool) -> None:
    n, stands = number(thing), key_of(key)
    if stands is UNKNOWN:
        _admit(run, number(thing), set.__iter__(thing), site)
    changes |= _is_contested(run, site, (ITEM, n, stands), changes)
    more = (Access(_RMW, (STRUCTURE, n)),) if changes else ()
    op = _RMW if changes else _READ
    emit(run, thing, site, op, (ITEM, n, stands), more, _seen_in_set(thing, key))


#: What a set takes the elements of, whoever else has it.
_GONE_THROUGH: Final = frozenset((set, frozenset, list, tuple, dict))


def _set_change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    elements = [*set.__iter__(thing)]
    for each in args:
        if type(each) in _GONE_THROUGH:
            elements += each
    targets = dict.fromkeys([(ITEM, n, key_of(element)) for element in elements])
    for target in targets:
        _is_contested(run, site, target, True)
    accesses = [Access(_WRITE, target) for target in targets]
    emit(run, thing, site, _RMW, (STRUCTURE, n), (*accesses, *_arguments(run, args, site)))


# -- keyword arguments ------------------------------------------------------------------------------------------------

#: Methods whose parameters may be named: the names, in order.
_PARAMETERS: Final[dict[type, dict[str, tuple[str, ...]]]] = {
    OrderedDict: {
        "popitem": ("last",),
        "move_to_end": ("key", "last"),
        "pop": ("key", "default"),
        "setdefault": ("key", "default"),
    },
    Counter: {"most_common": ("n",)},
}
#: Methods to which names and values are given to be put in.
_TAKING_NAMES: Final = frozenset({"update", "subtract", "__init__"})


def positional(thing: Any, name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of ``thing.name(*args, **named)`` as the handlers of operations get them, all by position.

    What is named and has no place in the operation (``reverse`` of a list's ``sort``) comes last: it is only looked at.
    """
    if not named:
        return args
    base = next((each for each in BASES if is_a(thing, each)), None)
    if name in _TAKING_NAMES and base is not None and issubclass(base, dict):
        return (*args, tuple(named) if base is Counter else tuple(named.items()))
    rest = dict(named)
    for parameter in _PARAMETERS.get(base, {}).get(name, ())[len(args) :] if base is not None else ():
        if parameter not in rest:
            break
        args = (*args, rest.pop(parameter))
    return (*args, *rest.values())


# -- the tables ------------------------------------------------------------------------------------


def _untold(run: Any, _thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    """A method without a rule."""
    if has_concurrent_threads(run):
        text = f"an unknown method of a container at {sites.location(site)}"
        run.untracked[text] = run.untracked.get(text, 0) + 1


def _table(**groups: tuple[Handler, str]) -> dict[str, Handler]:
    return {operation: handler for handler, names in groups.values() for operation in names.split()}


#: What all of them have.
_ANY: Final = _table(
    length=(read_structure, "__reversed__ __sizeof__ __alloc__ __length_hint__"),
    whole=(
        read_all,
        "__lt__ __le__ __gt__ __ge__ __str__ __format__ __hash__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ "
        "__or__ __ror__ __and__ __rand__ __xor__ __rxor__ __mod__ __rmod__ __pos__ __neg__ __getstate__ __dir__",
    ),
)
_DICT: Final = _ANY | _table(
    read=(_dict_read, "__getitem__ get __contains__"),
    write=(_dict_write, "__setitem__"),
    remove=(_dict_remove, "__delitem__ pop"),
    default=(_dict_setdefault, "setdefault"),
    popitem=(_dict_popitem, "popitem"),
    clear=(_dict_clear, "clear"),
    update=(_dict_update, "update __ior__ __init__"),
    length=(read_structure, "__len__ __bool__"),
    whole=(read_all, "copy __copy__ __eq__ __ne__ __or__ __ror__ __repr__ __reduce__ __reduce_ex__"),
)
_SEQUENCE: Final = _ANY | _table(
    read=(_sequence_read, "__getitem__"),
    write=(_sequence_write, "__setitem__"),
    change=(
        change_all,
        "__init__ __delitem__ append extend insert pop remove clear sort reverse __iadd__ __imul__ "
        "appendleft popleft extendleft rotate",
    ),
    length=(read_structure, "__len__ __bool__"),
    whole=(
        read_all,
        "__contains__ index count copy __copy__ __add__ __mul__ __eq__ __ne__ __repr__ decode find rfind startswith "
        "endswith split join hex replace strip __reduce__ __reduce_ex__ rindex "
        "capitalize center expandtabs isalnum isalpha isascii isdigit islower isspace istitle isupper ljust lower "
        "lstrip partition removeprefix removesuffix rjust rpartition rsplit rstrip splitlines swapcase title "
        "translate upper zfill",
    ),
)
_SET: Final = _ANY | _table(
    read=(_set_read, "__contains__"),
    add=(_set_add, "add"),
    remove=(_set_remove, "remove discard"),
    change=(
        _set_change_all,
        "__init__ pop clear update intersection_update difference_update symmetric_difference_update "
        "__ior__ __iand__ __isub__ __ixor__",
    ),
    length=(read_structure, "__len__ __bool__"),
    whole=(
        read_all,
        "copy __copy__ union intersection difference symmetric_difference issubset issuperset isdisjoint __or__ "
        "__and__ __sub__ __xor__ __eq__ __ne__ __le__ __lt__ __ge__ __gt__ __repr__ __reduce__ __reduce_ex__",
    ),
)
_ORDERED: Final = {**_DICT, "move_to_end": change_all}
_DEFAULT: Final = {**_DICT, "__getitem__": _default_read, "__missing__": _dict_setdefault}
_COUNTER: Final = {
    **_DICT,
    **_table(
        whole=(read_all, "most_common elements total"),
        update=(_dict_update, "subtract"),
        combine=(_counter_combined, "__iadd__ __isub__ __ior__ __iand__"),
    ),
}

#: Operations of each kind of container; a subclass is looked up along its bases.
OPERATIONS: Final[dict[type, dict[str, Handler]]] = {
    list: _SEQUENCE,
    deque: _SEQUENCE,
    bytearray: _SEQUENCE,
    set: _SET,
    Counter: _COUNTER,
    OrderedDict: _ORDERED,
    defaultdict: _DEFAULT,
    dict: _DICT,
}

#: Slots of `object` and `type` that access an attribute by name, with their operations.
SLOTS: Final = {"__getattribute__": _READ, "__getattr__": _READ, "__setattr__": _WRITE, "__delattr__": _RMW}

#: Methods without a read: their results are read by others.
_IDLE: Final = frozenset("__new__ __iter__ __class_getitem__ fromkeys maketrans fromhex keys values items".split())

#: Methods that go into the elements.
DEEP: Final = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__ __repr__ __str__ __format__ __hash__ "
    "index count remove sort update __ior__ __init__".split()
)

for _base, _operations_of_it in OPERATIONS.items():
    for _name, _value in _base.__dict__.items():
        if callable(_value) and _name not in _operations_of_it and _name not in {*_IDLE, *SLOTS}:
            _operations_of_it[_name] = _untold

#: Methods at whose calls a hook stands; those of text iterate over their argument.
METHODS: Final = frozenset(
    operation for table in OPERATIONS.values() for operation in table if not operation.startswith("__")
) | frozenset(
    "__getitem__ __setitem__ __delitem__ __contains__ __len__ __iter__ __ior__ __iadd__ "
    "format format_map writelines keys values items tolist fromkeys".split()
)

#: Those that iterate over their argument, which may be an iterator that runs code of the program.
GOING_THROUGH: Final = frozenset(
    "extend extendleft update intersection_update difference_update symmetric_difference_update intersection issubset "
    "issuperset isdisjoint difference subtract fromkeys".split()
)


def shape_of(kind: type) -> ClassShape:
    """The shape of a class, made when it is first asked for."""
    shape = shapes.get(id(kind))
    if shape is None:
        key = id(kind)
        base = next((each for each in bases(kind) if id(each) in _known), None)
        shape = shapes[key] = ClassShape(kind, base, _operations(kind, base))
        if recurring_classes.recall(kind, shape):
            return shape  # of which it is known that it has no such method
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
            if any(type(each) is not type for each in bases(kind)[1:]):  # it is asked what is a subclass of these, too
                text = f"a class {kind.__name__} with a __subclasshook__"
                run.untracked[text] = run.untracked.get(text, 0) + 1
    return kind


def look_at_class(kinds: Iterable[Any], space: Mapping[str, Any]) -> None:
    """A class is made of these bases and attributes: get to know those special methods."""
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
    """Such methods, in words."""
    return [f"{getattr(kind(), '__name__', '?')}.{name}" for kind, name in _unseen.values()]


def _unseen_method(kind: type) -> str:
    """A special method that is a method in C of some other object, as in ``__call__ = items.append``, or one of another
    name, as in ``__getattr__ = dict.__getitem__``; or that a descriptor gives, which may be any of those."""
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
            elif name in _LOOKED_UP and _is_computing(value):
                return f"{name}, which a descriptor gives"
    return ""


_SLOTS_IN_C: Final = frozenset((types.MethodDescriptorType, types.WrapperDescriptorType))
_IN_C: Final = frozenset((*BUILTIN_METHODS, types.MethodWrapperType, functools.partial))
_LOOKED_AT: Final = frozenset(map(id, (*_SLOTS_IN_C, *_IN_C, staticmethod, classmethod)))

#: Methods that the interpreter, or the library, looks up in a class.
_LOOKED_UP: Final = frozenset(
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
    """Whether an attribute of a class is given by code in Python, or by a property."""
    kind = type(value)
    if kind is functools.partialmethod and type(value.func) is types.FunctionType:
        return False
    if any(kind is each for each in (property, functools.cached_property, functools.partialmethod)):
        return True
    found = next((each.__dict__["__get__"] for each in bases(kind) if "__get__" in each.__dict__), None)
    return type(found) is types.FunctionType and found.__module__ not in _GIVING_FUNCTIONS


#: Modules whose descriptors give functions in Python.
_GIVING_FUNCTIONS: Final = frozenset({"functools", "unittest.mock"})


#: Identities of the classes in the table: asking for those runs no code of a metaclass.
_known: Final = set(map(id, OPERATIONS))


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
