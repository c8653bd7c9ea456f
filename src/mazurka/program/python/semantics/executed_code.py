"""The names that code stores when `exec` runs it, in the dictionaries that it gets for its variables.

Other code may look at such a dictionary as at any other one (`len(space)`, `space.get("made")`), while the code itself
takes names that it binds once for constants. So its stores are part of the step of `exec`, too. The dictionary of the
globals then gets ``__builtins__``, and its items become globals: until then their locations are those of a dictionary's
items.

Cost: a look at the bytecode, once for each code.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Sequence
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.semantics.locations import NAMELESS, item
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, STRUCTURE

_BY_NAME: Final = ("STORE_NAME", "DELETE_NAME")
_OF_GLOBALS: Final = ("STORE_GLOBAL", "DELETE_GLOBAL")


def stores(run: Any, code: types.CodeType, spaces: Sequence[Any], site: int) -> None:
    """Code is about to run with these dictionaries: the first for its globals, a second one, if given, for its other
    variables."""
    if run.is_recording or not spaces or not all(type(each) is dict for each in spaces):
        return
    found = [
        *_changed(spaces[0], _named(code, _OF_GLOBALS if len(spaces) > 1 else (*_BY_NAME, *_OF_GLOBALS)), True),
        *(_changed(spaces[1], _named(code, _BY_NAME), False) if len(spaces) > 1 else ()),
    ]
    if found:
        for each in found if run.detail else ():
            run.names.setdefault(each.target, "exec()")
        run.visit(found[0].op, found[0].target, site, None, tuple(found[1:]))


def _changed(space: dict[str, Any], names: Sequence[str], is_namespace: bool) -> list[Access]:
    if not names and (not is_namespace or "__builtins__" in space):
        return []
    n = number(space)
    targets = [(STRUCTURE, n), *[item(n, name) for name in names]]
    if is_namespace:
        targets += [(GLOBAL, str(space.get("__name__", NAMELESS)), name) for name in names]
    return [Access(Op.RMW, each) for each in targets]


@functools.lru_cache(maxsize=512)
def _named(code: types.CodeType, operations: tuple[str, ...]) -> tuple[str, ...]:
    """The names that occur with such operations in some code, or in the functions that it makes."""
    found = {each.argval: None for each in dis.get_instructions(code) if each.opname in operations}
    inner = operations if "STORE_GLOBAL" in operations else ()
    for each in code.co_consts if inner else ():
        if isinstance(each, types.CodeType):
            found |= dict.fromkeys(_named(each, _OF_GLOBALS))
    return tuple(found)
