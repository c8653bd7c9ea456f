"""The hooks at containers that only their function has, as the source shows (:mod:`.analysis.local_containers`).

Such an access is no step if the container is looked at by plain keys, which compare themselves without code of the
program and without a look into other objects; otherwise, and where a run needs all accesses, the usual hooks take over.

Cost: 0.2 microseconds.
"""

from __future__ import annotations

import builtins
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.semantics.operators import VALUES
from mazurka.program.python.semantics.variables import kept

#: The hooks in use: recordings and memory models have hooks of their own.
_hooks: Final = vars(builtins)

#: Methods of lists that compare elements, or look into their argument.
_LOOKING: Final = frozenset("remove index count extend".split())


def _is_quiet(key: Any) -> bool:
    kind = type(key)
    if kind in VALUES:
        return True
    if kind is not tuple:
        return False
    for each in key:  # `all` would take twice as long
        if type(each) not in VALUES:
            return False
    return True


def read_item(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be read."""
    run = activation.active
    if run is None or run.solo or (run.leaves_out_own and _is_quiet(key)):
        return thing
    return _hooks["__mz_ri__"](thing, key, site)


def write_item(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be stored."""
    run = activation.active
    if run is None or run.solo or (run.leaves_out_own and _is_quiet(key)):
        return thing
    return _hooks["__mz_wi__"](thing, key, site)


def delete_item(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be deleted."""
    run = activation.active
    if run is None or run.solo or (run.leaves_out_own and _is_quiet(key)):
        return thing
    return _hooks["__mz_di__"](thing, key, site)


def write_item_keep(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be stored; the key is fetched by `pop` next."""
    run = activation.active
    if run is None or run.solo or (run.leaves_out_own and _is_quiet(key)):
        kept.keys.append(key)
        return thing
    return _hooks["__mz_wk__"](thing, key, site)


def contains(thing: Any, key: Any, site: int) -> Any:
    """``key in thing`` is about to be decided."""
    run = activation.active
    if run is None or run.solo or (run.leaves_out_own and type(thing) is not list and _is_quiet(key)):
        return thing
    return _hooks["__mz_in__"](thing, key, site)


def method(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
    """``thing.name(*args, **named)`` is about to be called."""
    run = activation.active
    if run is not None and run.leaves_out_own and not named:
        if type(thing) is list:
            if name not in _LOOKING:
                return thing
        elif name != "update" and (not args or _is_quiet(args[0])):
            return thing
    return _hooks["__mz_m__"](thing, name, site, *args, **named)
