"""The quick hooks of recordings (quick.py) at methods of dictionaries: the accesses that dictionaries.py reports.

Only of ``dict`` and ``OrderedDict`` themselves, and not where they are the attributes of an instance, or the globals of
a module. Whether a key is present is known if hashing and comparing it runs no code of the program; otherwise it is
taken to change, as in dictionaries.py.
"""

from __future__ import annotations

from _thread import get_ident
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.raw import MORE, OFFSETS
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.locations import is_gone_by, mortal
from mazurka.program.python.semantics.objects import number, numbers
from mazurka.trace.event import Op
from mazurka.trace.targets import ITEM, STRUCTURE

_READ_ITEM: Final = Op.READ.value + OFFSETS[ITEM]
_CHANGE_ITEM: Final = Op.RMW.value + OFFSETS[ITEM]
_CHANGE: Final = Op.RMW.value + OFFSETS[STRUCTURE]

#: The classes whose methods are handled here.
KINDS: Final = frozenset({dict, OrderedDict})

#: Methods that give a view, and access nothing.
_SHOWING: Final = frozenset({"keys", "values", "items"})

#: Reports a call of a method of a dictionary, of this name, with these arguments; returns whether it could.
DictionaryReporter = Callable[[Any, str, int, tuple[Any, ...]], bool]


def dictionary_methods(run: EventSink) -> DictionaryReporter:
    """The function that records calls of methods of dictionaries."""
    add = run.buffer.extend

    def record(thing: Any, name: str, site: int, args: tuple[Any, ...]) -> bool:
        if not args:
            return name in _SHOWING
        takes_key = name == "get" or name == "pop" or name == "setdefault"
        moves = name == "move_to_end" and type(thing) is OrderedDict
        if not (takes_key or moves) or mortal or is_gone_by(thing) or not _is_plain(thing):
            return False
        key = args[0]
        part = key if type(key) in PLAIN else key_of(key)
        if part is UNKNOWN:
            return False
        me, n = get_ident(), numbers.get(id(thing)) or number(thing)
        if moves:
            add((me, n, _CHANGE, site, None, MORE))
            return True
        if name == "get":
            reads = True
        elif part is key or is_quiet(key):
            reads = (key in thing) == (name == "setdefault")
        else:
            reads = False
        if reads:
            add((me, n, _READ_ITEM, site, part, MORE))
        else:
            add((me, n, _CHANGE_ITEM, site, part, MORE, me, n, _CHANGE, site, None, MORE))
        return True

    return record


def _is_plain(thing: Any) -> bool:
    """Whether a dictionary is neither that of an instance nor that of a module."""
    return numbers.get(id(thing), 0) >= 0 and "__builtins__" not in thing and "__spec__" not in thing


__all__ = ["KINDS", "dictionary_methods"]
