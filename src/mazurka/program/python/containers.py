"""What operations on Python's containers read and write, as accesses to named locations.

A container with number n has three kinds of location: its items ``("i", n, key)``, its structure ``("s", n)`` (which
keys or how many elements there are, in which order), and its values taken together ``("v", n)``:

- replacing an existing item WRITEs the item and the values; adding or removing one also changes (RMW) the structure;
- looking one up READs the item (in a sequence also the structure, since what index 3 is depends on it);
- whatever looks at everything READs the structure, and the values too unless it only wants keys or the length.

So ``d['a']`` and ``d['b']`` do not conflict, two insertions conflict by the structure only, and iteration
conflicts with whatever it would notice. Elements of a set are its keys; a set has no values.

A *handler* tells the kernel what one operation is about to do; the operation itself follows in the program's own code.

Cost: one to three microseconds an operation, most of it the kernel's.
"""

from __future__ import annotations

import gc
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.protocol import Access, Target
from mazurka.program.python import objects, sites
from mazurka.program.python.objects import is_a, key_of, number
from mazurka.trace.event import Op

Handler = Callable[[Any, Any, int, tuple[Any, ...]], None]

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW


# -- telling the kernel ---------------------------------------------------------------------------------------------


def item(n: int, key: Any) -> Target:
    """The location of an item; in the dictionary of an instance, of the attribute."""
    return ("i", n, key_of(key)) if n > 0 else ("a", -n, key_of(key))


def emit(
    run: Any, thing: Any, site: int, op: Op, target: Target, more: tuple[Access, ...] = (), look: Any = None
) -> None:
    """Pass one step; in detail mode with names and, if ``look`` tells it, the value."""
    if not run.detail:
        run.visit(op, target, site, None, more)
        return
    value = None
    for each in (target, *(access.target for access in more)):
        objects.label(run, each, thing, _part(thing, each))
    if look is not None:
        value = objects.peek(look, run.names[target])
    else:
        value = lambda: objects.describe(thing)  # noqa: E731  # as short as the other branch
    run.visit(op, target, site, value, more)


def _part(thing: Any, target: Target) -> str:
    if target[0] == "i":
        key = target[2]
        text = "..." if is_a(key, tuple) and key and key[0] == "object" else repr(key)
        return f" has {text}" if is_a(thing, (set, frozenset)) else f"[{text}]"
    if target[0] == "a":
        return f".{target[2]}"
    if target[0] == "v":
        return " (values)"
    return " (keys)" if is_a(thing, dict) else " (elements)"


def read_structure(run: Any, thing: Any, site: int, _args: tuple[Any, ...] = ()) -> None:
    """How many there are, or which keys."""
    emit(run, thing, site, _READ, ("s", number(thing)))


def read_all(run: Any, thing: Any, site: int, _args: tuple[Any, ...] = ()) -> None:
    """Everything in it."""
    n = number(thing)
    emit(run, thing, site, _READ, ("s", n), (Access(_READ, ("v", n)),))


def read_all_with(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """Everything in it and in the arguments."""
    n = number(thing)
    emit(run, thing, site, _READ, ("s", n), (Access(_READ, ("v", n)), *_arguments(args)))


def _arguments(args: Iterable[Any]) -> list[Access]:
    """Reads of all that is in those arguments that are containers."""
    found = []
    for each in args:
        for container in sources(each):
            n = number(container)
            found += [Access(_READ, ("s", n)), Access(_READ, ("v", n))]
    return found


def change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...] = ()) -> None:
    """Anything in a sequence may move; who reads an index reads the structure too."""
    emit(run, thing, site, _RMW, ("s", number(thing)), tuple(_arguments(args)))


# -- dictionaries -----------------------------------------------------------------------------------------------------


def _has(thing: dict[Any, Any], key: Any) -> bool:
    """Whether a key is there, without running code of the program: when in doubt, no."""
    stands = key_of(key)
    if is_a(stands, tuple) and "object" in stands:
        kind: Any = type(key)
        plain = kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__
        return plain and dict.__contains__(thing, key)
    return dict.__contains__(thing, key)


def _look(thing: dict[Any, Any], key: Any) -> Callable[[], Any]:
    return lambda: dict.get(thing, key, objects.MISSING) if _has(thing, key) else objects.MISSING


def _dict_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        emit(run, thing, site, _READ, item(number(thing), args[0]), (), _look(thing, args[0]))


def _dict_write(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    other = Access(_WRITE, ("v", n)) if _has(thing, args[0]) else Access(_RMW, ("s", n))
    emit(run, thing, site, _WRITE, item(n, args[0]), (other,), _look(thing, args[0]))


def _dict_remove(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if not args:
        return
    n = number(thing)
    present = _has(thing, args[0])
    more = (Access(_RMW, ("s", n)),) if present else ()
    emit(run, thing, site, _RMW if present else _READ, item(n, args[0]), more, _look(thing, args[0]))


def _dict_setdefault(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if not args:
        return
    n = number(thing)
    present = _has(thing, args[0])
    more = () if present else (Access(_RMW, ("s", n)),)
    emit(run, thing, site, _READ if present else _RMW, item(n, args[0]), more, _look(thing, args[0]))


def _default_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if thing.default_factory is None or _has(thing, args[0]):
        _dict_read(run, thing, site, args)
    else:
        _dict_setdefault(run, thing, site, args)


def _dict_popitem(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    if not thing:
        read_structure(run, thing, site)
        return
    first = bool(args) and is_a(thing, OrderedDict) and args[0] is False
    kind = OrderedDict if is_a(thing, OrderedDict) else dict
    key = next(kind.__iter__(thing) if first else kind.__reversed__(thing))
    emit(run, thing, site, _RMW, ("s", n), (Access(_RMW, item(n, key)),))


def _dict_clear(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    n = number(thing)
    emit(run, thing, site, _RMW, ("s", n), tuple([Access(_WRITE, item(n, key)) for key in [*dict.keys(thing)]]))


def _dict_update(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    changed = _keys_given(args)
    if changed is None:
        changed = [*dict.keys(thing)]
    more = [Access(_WRITE, item(n, key)) for key in changed]
    emit(run, thing, site, _RMW, ("s", n), (Access(_WRITE, ("v", n)), *more, *_arguments(args)))


def _keys_given(args: tuple[Any, ...]) -> list[Any] | None:
    """The keys that `update` gets, or None if finding out would run code or use an iterator up."""
    keys: list[Any] = []
    for each in args:
        if is_a(each, dict):
            keys += dict.keys(each)
        elif type(each) in (list, tuple, set, frozenset):
            for pair in list(each):
                if type(pair) not in (tuple, list) or len(pair) != 2:
                    return None
                keys.append(pair[0])
        else:
            return None
    return keys


# -- sequences ---------------------------------------------------------------------------------------------------------


def _index(thing: Any, key: Any) -> int | None:
    """A valid index, counted from the front; None for slices, and for what will be an error."""
    if is_a(key, int):
        length = len(thing)
        index = int(key)
        if index < 0:
            index += length
        if 0 <= index < length:
            return index
    return None


def _element(thing: Any, index: int) -> Callable[[], Any]:
    return lambda: thing[index] if index < len(thing) else objects.MISSING


def _sequence_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    index = _index(thing, args[0])
    if index is None:
        read_all(run, thing, site)
        return
    n = number(thing)
    emit(run, thing, site, _READ, ("i", n, index), (Access(_READ, ("s", n)),), _element(thing, index))


def _sequence_write(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    index = _index(thing, args[0])
    if index is None:
        change_all(run, thing, site, args[1:])
        return
    n = number(thing)
    more = (Access(_WRITE, ("v", n)), Access(_READ, ("s", n)))
    emit(run, thing, site, _WRITE, ("i", n, index), more, _element(thing, index))


# -- sets ------------------------------------------------------------------------------------------


def _in_set(thing: Any, key: Any) -> bool:
    stands = key_of(key)
    if is_a(stands, tuple) and "object" in stands:
        return False
    return stands in set(thing) if type(stands) is not type(key) else set.__contains__(thing, key)


def _set_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        key = args[0]
        emit(run, thing, site, _READ, ("i", number(thing), key_of(key)), (), lambda: _in_set(thing, key))


def _set_add(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        _set_change(run, thing, site, args[0], not _in_set(thing, args[0]))


def _set_remove(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        unknown = "object" in stands if is_a(stands := key_of(args[0]), tuple) else False
        _set_change(run, thing, site, args[0], unknown or _in_set(thing, args[0]))


def _set_change(run: Any, thing: Any, site: int, key: Any, changes: bool) -> None:
    n = number(thing)
    more = (Access(_RMW, ("s", n)),) if changes else ()
    op = _RMW if changes else _READ
    emit(run, thing, site, op, ("i", n, key_of(key)), more, lambda: _in_set(thing, key))


def _set_change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    elements = [*thing]
    for each in args:
        if type(each) in (set, frozenset, list, tuple, dict):
            elements += each
    more = dict.fromkeys([("i", n, key_of(element)) for element in elements])
    accesses = [Access(_WRITE, target) for target in more]
    emit(run, thing, site, _RMW, ("s", n), (*accesses, *_arguments(args)))


# -- the tables ------------------------------------------------------------------------------------


def _table(**groups: tuple[Handler, str]) -> dict[str, Handler]:
    return {operation: handler for handler, names in groups.values() for operation in names.split()}


_DICT: Final = _table(
    read=(_dict_read, "__getitem__ get __contains__"),
    write=(_dict_write, "__setitem__"),
    remove=(_dict_remove, "__delitem__ pop"),
    default=(_dict_setdefault, "setdefault"),
    popitem=(_dict_popitem, "popitem"),
    clear=(_dict_clear, "clear"),
    update=(_dict_update, "update __ior__"),
    length=(read_structure, "__len__ __bool__"),
    whole=(read_all_with, "copy __copy__ __eq__ __ne__ __or__ __ror__ __repr__ __reduce__ __reduce_ex__"),
)
_SEQUENCE: Final = _table(
    read=(_sequence_read, "__getitem__"),
    write=(_sequence_write, "__setitem__"),
    change=(
        change_all,
        "__delitem__ append extend insert pop remove clear sort reverse __iadd__ __imul__ "
        "appendleft popleft extendleft rotate",
    ),
    length=(read_structure, "__len__ __bool__"),
    whole=(
        read_all_with,
        "__contains__ index count copy __copy__ __add__ __mul__ __eq__ __ne__ __repr__ decode find rfind startswith "
        "endswith split join hex replace strip __reduce__ __reduce_ex__ rindex",
    ),
)
_SET: Final = _table(
    read=(_set_read, "__contains__"),
    add=(_set_add, "add"),
    remove=(_set_remove, "remove discard"),
    change=(
        _set_change_all,
        "pop clear update intersection_update difference_update symmetric_difference_update "
        "__ior__ __iand__ __isub__ __ixor__",
    ),
    length=(read_structure, "__len__ __bool__"),
    whole=(
        read_all_with,
        "copy __copy__ union intersection difference symmetric_difference issubset issuperset isdisjoint __or__ "
        "__and__ __sub__ __xor__ __eq__ __ne__ __le__ __lt__ __ge__ __gt__ __repr__ __reduce__ __reduce_ex__",
    ),
)
_ORDERED: Final = {**_DICT, "move_to_end": change_all}
_DEFAULT: Final = {**_DICT, "__getitem__": _default_read}
_COUNTER: Final = {
    **_DICT,
    **_table(whole=(read_all_with, "most_common elements total"), update=(_dict_update, "subtract")),
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

#: Methods at whose calls a hook stands.
METHODS: Final = frozenset(
    operation for table in OPERATIONS.values() for operation in table if not operation.startswith("__")
) | frozenset("__getitem__ __setitem__ __delitem__ __contains__ __len__ __iter__ __ior__ __iadd__".split())


class Shape:
    """What hooks need to know of a class: the container operations it takes over, and where its attributes are."""

    __slots__ = ("attributes", "operations", "watch")

    def __init__(self, kind: type) -> None:
        self.operations = _operations(kind)
        self.attributes: dict[str, Any] = {}
        key = id(kind)
        self.watch = weakref.ref(kind, lambda _dead: shapes.pop(key, None))


#: id of a class -> its shape.
shapes: dict[int, Shape] = {}


def shape_of(kind: type) -> Shape:
    """The shape of a class, made when it is first asked for."""
    shape = shapes.get(id(kind))
    if shape is None:
        shape = shapes[id(kind)] = Shape(kind)
    return shape


def forget_shapes() -> None:
    """Classes may have been changed between runs."""
    shapes.clear()


def bases(kind: type) -> tuple[type, ...]:
    """The method resolution order, had without running code of a metaclass; the class alone while it is being made."""
    return type.__dict__["__mro__"].__get__(kind) or (kind,)


def _operations(kind: type) -> dict[str, Handler]:
    """The operations that ``kind`` takes over from a container as they are."""
    mro = bases(kind)
    base = next((each for each in mro if each in OPERATIONS), None) if _hashable(mro) else None
    if base is None:
        return {}
    if base is kind:
        return OPERATIONS[base]
    return {name: handler for name, handler in OPERATIONS[base].items() if _is_native(mro, name)}


def _hashable(mro: tuple[type, ...]) -> bool:
    return all(type(each).__hash__ is not None for each in mro)


def _is_native(mro: tuple[type, ...], name: str) -> bool:
    for each in mro:
        if name in each.__dict__:
            code = getattr(each.__dict__[name], "__code__", None)
            return each in OPERATIONS and (code is None or code.co_filename not in sites.instrumented)
    return name == "__bool__"


def operation(thing: Any, name: str) -> Handler | None:
    """The handler of an operation on ``thing``, if it is a container that has it from a builtin."""
    kind = type(thing)
    shape = shapes.get(id(kind)) or shape_of(kind)
    return shape.operations.get(name)


# -- views and iterators ---------------------------------------------------------------------------

_EMPTY: Final[dict[Any, Any]] = {}
_ORDERED_EMPTY: Final[OrderedDict[Any, Any]] = OrderedDict()
_NONE: Final[list[Any]] = []
_VIEWS: Final[tuple[type, ...]] = (type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()))
_ODD_VIEWS: Final[tuple[type, ...]] = (
    type(_ORDERED_EMPTY.keys()),
    type(_ORDERED_EMPTY.values()),
    type(_ORDERED_EMPTY.items()),
)
_EXAMPLES: Final[tuple[Any, ...]] = (
    iter(_NONE),
    reversed(_NONE),
    iter(_EMPTY),
    iter(_EMPTY.values()),
    iter(_EMPTY.items()),
    reversed(_EMPTY),
    reversed(_EMPTY.values()),
    reversed(_EMPTY.items()),
    iter(set(_NONE)),
    iter(deque(_NONE)),
    reversed(deque(_NONE)),
    iter(bytearray()),
    iter(_ORDERED_EMPTY),
)
_ITERATORS: Final[frozenset[type]] = frozenset(map(type, _EXAMPLES))
_COMBINATORS: Final = frozenset({enumerate, zip, map, filter, reversed})
_LAZY: Final = frozenset({*_VIEWS, *_ODD_VIEWS, *_ITERATORS, *_COMBINATORS})


def sources(thing: Any) -> list[Any]:
    """The containers that going through ``thing`` looks at: itself, or what it is a view of or iterates over."""
    kind = type(thing)
    if kind in _NOTHING:
        return []
    if kind in _LAZY:
        found = []
        for each in gc.get_referents(thing):
            if type(each) in _LAZY or is_a(each, (list, dict, set, deque, bytearray)):
                found += sources(each)
            elif kind is zip and type(each) is tuple:
                for part in each:
                    found += sources(part)
        return found
    return [thing] if is_a(thing, (list, dict, set, deque, bytearray)) and _iterates_natively(kind) else []


_NOTHING: Final = frozenset({int, str, tuple, float, bool, type(None), bytes, types.FunctionType, type})


def _iterates_natively(kind: type) -> bool:
    if kind in OPERATIONS:
        return True
    mro = bases(kind)
    for each in mro:
        if "__iter__" in each.__dict__:
            return each in OPERATIONS
    return False


def view_of(thing: Any) -> Any:
    """The dictionary a view shows, or None."""
    if type(thing) in _VIEWS or type(thing) in _ODD_VIEWS:
        return next((each for each in gc.get_referents(thing) if is_a(each, dict)), None)
    return None


_KEYS: Final[frozenset[type]] = frozenset(
    (_VIEWS[0], _ODD_VIEWS[0], type(iter(_EMPTY)), type(reversed(_EMPTY)), type(iter(set(_NONE))))
)


def keys_only(thing: Any) -> bool:
    """Whether going through it sees keys (or elements of a set), not values."""
    return type(thing) in _KEYS or is_a(thing, (dict, set))
