"""Code, and texts, that `exec` and `eval` run in dictionaries.

A text is instrumented when it is run. The names of the code are variables. Other code may look at such a dictionary as
at any other one (`len(space)`, `space.get("made")`), so the code's stores are part of the step of `exec`, too. The
dictionary of the globals then gets ``__builtins__``, and its items become globals: until then their locations are those
of a dictionary's items, so that the step is one of all items.

Code is not followed if it stores a variable that the module of the dictionary takes for a constant, if it names a
variable that the calling function shares with others, or if it has a dictionary of its own for local variables.

Cost: a look at the bytecode, once for each code; a text is compiled once.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
import zlib
from collections.abc import Sequence
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.instrument import (
    FUTURE_FEATURES,
    instrument_expression,
    instrument_source,
)
from mazurka.program.python.instrument.rewrite.rewriter import EXECUTED
from mazurka.program.python.semantics.locations import NAMELESS, item
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, STRUCTURE

_BY_NAME: Final = ("STORE_NAME", "DELETE_NAME")
_OF_GLOBALS: Final = ("STORE_GLOBAL", "DELETE_GLOBAL")
_STORES: Final = (*_BY_NAME, *_OF_GLOBALS)


def instrumented(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `exec` or `eval`, with the instrumented code of a text in place of the text.

    A text stays if it is not of the language, which the call reports, if code in it might need names that the hooks
    have, or if its caller has asked for features of future versions, which hold for it, too.
    """
    source = args[0]
    if not isinstance(source, (str, bytes)) or len(args) > 2:
        return args
    space = args[1] if len(args) > 1 else None
    if space is not None and (type(space) is not dict or space.get("__builtins__", builtins) not in _BUILTINS):
        return args
    if _caller().f_code.co_flags & FUTURE_FEATURES:
        return args
    try:
        text = source.decode() if isinstance(source, bytes) else str(source)
        compiled = instrument_expression if function is eval else instrument_source
        return (compiled(text, f"{EXECUTED}{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}>"), *args[1:])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return args


_BUILTINS: Final = (builtins, vars(builtins))


def stores(run: Any, code: types.CodeType, spaces: Sequence[Any], site: int) -> bool:
    """Code is about to run with these dictionaries: the first for its globals, a second one, if given, for its other
    variables; without one, with those of the calling function. Returns whether all that it does is tracked."""
    if not _is_followed(run, code, spaces):
        return False
    if run.is_recording or not spaces or not all(type(each) is dict for each in spaces):
        return True
    found = [
        *_changed(spaces[0], _named(code, _OF_GLOBALS if len(spaces) > 1 else _STORES), True),
        *(_changed(spaces[1], _named(code, _BY_NAME), False) if len(spaces) > 1 else ()),
    ]
    if found:
        for each in found if run.detail else ():
            run.names.setdefault(each.target, "exec()")
        run.visit(found[0].op, found[0].target, site, None, tuple(found[1:]))
    return True


def _is_followed(run: Any, code: types.CodeType, spaces: Sequence[Any]) -> bool:
    if run.is_recording:
        return True
    if len(spaces) > 1 and spaces[1] is not spaces[0] and has_concurrent_threads(run):
        return False
    caller = _caller()
    if not spaces and not {*caller.f_code.co_cellvars, *caller.f_code.co_freevars}.isdisjoint(_named(code, None)):
        return False
    space = spaces[0] if spaces else caller.f_globals
    if not isinstance(space, dict) or "__name__" not in space:
        return True
    own = spaces or caller.f_locals is caller.f_globals
    file = space.get("__file__")
    stored = _named(code, _STORES if own else _OF_GLOBALS)
    return not stored or (file in sites.instrumented and sites.variables(file).issuperset(stored))


def _caller() -> types.FrameType:
    """The frame of the program's code that is running."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename not in sites.instrumented and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _changed(space: dict[str, Any], names: Sequence[str], is_namespace: bool) -> list[Access]:
    becomes_namespace = is_namespace and "__builtins__" not in space
    if not names and not becomes_namespace:
        return []
    n = number(space)
    if becomes_namespace:
        names = [*dict.fromkeys([*names, *filter(_is_text, dict.keys(space))])]
    targets = [(STRUCTURE, n), *[item(n, name) for name in names]]
    if is_namespace:
        targets += [(GLOBAL, str(space.get("__name__", NAMELESS)), name) for name in names]
    return [Access(Op.RMW, each) for each in targets]


def _is_text(key: Any) -> bool:
    return type(key) is str


@functools.lru_cache(maxsize=512)
def _named(code: types.CodeType, operations: tuple[str, ...] | None) -> tuple[str, ...]:
    """The names that occur with such operations, or any, in some code, or in the functions that it makes."""
    if operations is None:
        found: dict[str, None] = dict.fromkeys(code.co_names)
    elif {dis.opmap[each] for each in operations}.isdisjoint(code.co_code[::2]):
        found = {}  # without disassembling, whose time grows with the square of the code's length
    else:
        found = {each.argval: None for each in dis.get_instructions(code) if each.opname in operations}
    inner = None if operations is None else _OF_GLOBALS
    for each in code.co_consts if operations is None or "STORE_GLOBAL" in operations else ():
        if isinstance(each, types.CodeType):
            found |= dict.fromkeys(_named(each, inner))
    return tuple(found)
