"""The reads and writes of operations on Python's containers, as accesses to named locations.

For the locations see :mod:`locations`, for dictionaries :mod:`dictionaries`. The rules:

- replacing an existing item WRITEs the item; adding or removing one also changes (RMW) the structure;
- looking one up READs the item (in a sequence also the structure, which decides the element at an index);
- an operation on the whole container READs the structure, and each item too unless it only needs keys or the length.

So ``d['a']`` and ``d['b']`` do not conflict, two insertions conflict by the structure only, and iteration conflicts
with each change that it would notice. Elements of a set are its keys; a set has no values.

A *handler* reports the accesses of one operation to the runtime; the operation itself follows in the program's own
code.

Cost: one to three microseconds an operation, most of it the runtime's.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import additions, dictionaries, equal_appends, objects
from mazurka.program.python.semantics.class_shapes import OPERATIONS, know
from mazurka.program.python.semantics.dictionaries import admit_unknown, is_contested, reads_of_arguments, value_of_key
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.locations import (
    BASES,
    base_of,
    contents,
    emit,
    emit_reads,
    length,
    values_changed,
)
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.shapes import Handler
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import ITEM, STRUCTURE

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW


def read_structure(run: Any, thing: Any, site: int, _args: tuple[Any, ...] = ()) -> None:
    """Read how many elements a container has, or which keys."""
    emit(run, thing, site, _READ, (STRUCTURE, number(thing)))
    additions.note_look_at_size(run, site, thing)


def read_all(run: Any, thing: Any, site: int, args: tuple[Any, ...] = ()) -> None:
    """Read all of a container and of the arguments."""
    emit_reads(run, [thing], [*contents(thing), *reads_of_arguments(run, args, site)], site)


def change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...] = ()) -> None:
    """Change a sequence so that any element may move, or be returned: it reads the elements, as far as operations have
    touched them by their indexes. A read of an index reads the structure too."""
    more = (*_touched_elements(run, thing), *reads_of_arguments(run, args, site))
    emit(run, thing, site, _RMW, (STRUCTURE, number(thing)), more)


def _touched_elements(run: Any, thing: Any) -> list[Access]:
    if run.is_recording or not is_a(thing, BASES):
        return []
    touched = run.touched
    return [access for access in contents(thing)[1:] if access.target in touched]


# -- sequences ---------------------------------------------------------------------------------------------------------


def _index(thing: Any, key: Any) -> int | None:
    """A valid index, counted from the front; None for slices, and for an index that will be an error."""
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
        read_structure(run, thing, site)  # there is no such element, so the store changes nothing
        return
    if index is None:
        change_all(run, thing, site, args[1:])
        return
    n = number(thing)
    more = (*values_changed(thing, n), Access(_READ, (STRUCTURE, n)))
    emit(run, thing, site, _WRITE, (ITEM, n, index), more, _element(thing, index))


def _sequence_append(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    """Add an element at the end of a sequence, without a look into it."""
    if equal_appends.is_no_step(run, thing, args, site):
        return
    target = (STRUCTURE, number(thing))
    emit(run, thing, site, _RMW, target)
    if type(thing) is list or (type(thing) is deque and thing.maxlen is None):
        additions.note_addition(run, target)


def _sequence_insert(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    """Add an element to a sequence, where others have to move, without a look into it."""
    change_all(run, thing, site)


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
    return lambda: value_of_key(thing, key, lambda _stands: _in_set(thing, key))


def _set_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    if args:
        stands = key_of(args[0])
        if stands is UNKNOWN:
            admit_unknown(run, number(thing), set.__iter__(thing), site)
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
        admit_unknown(run, number(thing), set.__iter__(thing), site)
    changes |= is_contested(run, site, (ITEM, n, stands), changes)
    more = (Access(_RMW, (STRUCTURE, n)),) if changes else ()
    target = (ITEM, n, stands)
    emit(run, thing, site, _RMW if changes else _READ, target, more, _seen_in_set(thing, key))
    if changes and type(thing) is set:
        additions.note_addition(run, target)


#: Types of arguments whose elements a set method iterates over, and that other threads may have, too.
_GONE_THROUGH: Final = frozenset((set, frozenset, list, tuple, dict))


def _set_change_all(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    n = number(thing)
    elements = [*set.__iter__(thing)]
    for each in args:
        if type(each) in _GONE_THROUGH:
            elements += each
    targets = dict.fromkeys([(ITEM, n, key_of(element)) for element in elements])
    for target in targets:
        is_contested(run, site, target, True)
    accesses = [Access(_WRITE, target) for target in targets]
    emit(run, thing, site, _RMW, (STRUCTURE, n), (*accesses, *reads_of_arguments(run, args, site)))


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
#: Methods that take named arguments as items to be stored.
_TAKING_NAMES: Final = frozenset({"update", "subtract", "__init__"})


def positional(thing: Any, name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of ``thing.name(*args, **named)`` as the handlers of operations get them, all by position. A named
    argument without a place in the operation (``reverse`` of a list's ``sort``) comes last: it is only looked at."""
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


def _unknown_method(run: Any, _thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    """A method without a handler."""
    if has_concurrent_threads(run):
        text = f"an unknown method of a container at {sites.location(site)}"
        run.untracked[text] = run.untracked.get(text, 0) + 1


def _table(**groups: tuple[Handler, str]) -> dict[str, Handler]:
    return {operation: handler for handler, names in groups.values() for operation in names.split()}


#: The operations that all containers have.
_ANY: Final = _table(
    length=(read_structure, "__reversed__ __sizeof__ __alloc__ __length_hint__"),
    whole=(
        read_all,
        "__lt__ __le__ __gt__ __ge__ __str__ __format__ __hash__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ "
        "__or__ __ror__ __and__ __rand__ __xor__ __rxor__ __mod__ __rmod__ __pos__ __neg__ __getstate__ __dir__",
    ),
)
_DICT: Final = _ANY | _table(
    read=(dictionaries.read, "__getitem__ get __contains__"),
    write=(dictionaries.write, "__setitem__"),
    remove=(dictionaries.remove, "__delitem__ pop"),
    default=(dictionaries.set_default, "setdefault"),
    popitem=(dictionaries.pop_item, "popitem"),
    clear=(dictionaries.clear, "clear"),
    update=(dictionaries.update, "update __ior__ __init__"),
    length=(read_structure, "__len__ __bool__ __iter__"),  # an iterator keeps the number of items
    whole=(read_all, "copy __copy__ __eq__ __ne__ __or__ __ror__ __repr__ __reduce__ __reduce_ex__"),
)
_SEQUENCE: Final = _ANY | _table(
    read=(_sequence_read, "__getitem__"),
    write=(_sequence_write, "__setitem__"),
    change=(
        change_all,
        "__init__ __delitem__ extend pop remove clear sort reverse __iadd__ __imul__ popleft extendleft rotate",
    ),
    append=(_sequence_append, "append"),
    insert=(_sequence_insert, "insert appendleft"),
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
    length=(read_structure, "__len__ __bool__ __iter__"),
    whole=(
        read_all,
        "copy __copy__ union intersection difference symmetric_difference issubset issuperset isdisjoint __or__ "
        "__and__ __sub__ __xor__ __eq__ __ne__ __le__ __lt__ __ge__ __gt__ __repr__ __reduce__ __reduce_ex__",
    ),
)
_ORDERED: Final = {**_DICT, "move_to_end": change_all}
_DEFAULT: Final = {**_DICT, "__getitem__": dictionaries.read_or_make, "__missing__": dictionaries.set_default}
_COUNTER: Final = {
    **_DICT,
    **_table(
        whole=(read_all, "most_common elements total"),
        update=(dictionaries.update, "subtract"),
        combine=(dictionaries.combine_counter, "__iadd__ __isub__ __ior__ __iand__"),
    ),
}

know(
    {
        list: _SEQUENCE,
        deque: {**_SEQUENCE, "__iter__": read_structure},
        bytearray: _SEQUENCE,
        set: _SET,
        Counter: _COUNTER,
        OrderedDict: _ORDERED,
        defaultdict: _DEFAULT,
        dict: _DICT,
    }
)

#: Slots of `object` and `type` that access an attribute by name, with their operations.
SLOTS: Final = {"__getattribute__": _READ, "__getattr__": _READ, "__setattr__": _WRITE, "__delattr__": _RMW}

#: Methods without a read: code that uses their results reads the container.
_IDLE: Final = frozenset("__new__ __iter__ __class_getitem__ fromkeys maketrans fromhex keys values items".split())

#: Methods that look into the elements.
DEEP: Final = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__ __repr__ __str__ __format__ __hash__ "
    "index count remove sort update __ior__ __init__ join startswith endswith".split()
)

for _base, _operations_of_it in OPERATIONS.items():
    for _name, _value in _base.__dict__.items():
        if callable(_value) and _name not in _operations_of_it and _name not in {*_IDLE, *SLOTS}:
            _operations_of_it[_name] = _unknown_method

#: Methods whose calls have a hook; those of texts iterate over their argument.
METHODS: Final = frozenset(
    operation for table in OPERATIONS.values() for operation in table if not operation.startswith("__")
) | frozenset(
    "__getitem__ __setitem__ __delitem__ __contains__ __len__ __iter__ __ior__ __iadd__ "
    "format format_map writelines keys values items tolist fromkeys".split()
)

#: Methods that iterate over their argument, which may be an iterator that runs code of the program.
GOING_THROUGH: Final = frozenset(
    "extend extendleft update intersection_update difference_update symmetric_difference_update intersection issubset "
    "issuperset isdisjoint difference subtract fromkeys".split()
)
