"""The locations of globals: one for each name of a module, whichever way code gets at the module.

The globals of code that is not instrumented are part of the state of its package (:mod:`foreign`), too.

Cost: a microsecond.
"""

from __future__ import annotations

import builtins
import types
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import harmless, objects
from mazurka.program.python.semantics.classification import CONSTANT
from mazurka.program.python.semantics.harmless import root_of
from mazurka.program.python.semantics.locations import ends_of, mortal, space_name
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, OBJECT, STRUCTURE

_READ, _WRITE = Op.READ, Op.WRITE


def module_read(run: Any, module: Any, name: str, site: int, more: tuple[Access, ...] = ()) -> None:
    """A global is about to be read by way of its module; ``more`` are reads of the classes of a module that has one of
    its own."""
    space = objects.dictionary(module)
    if (
        name not in space
        and not is_a(space.get("__getattr__"), (types.FunctionType, type(None)))
        and has_concurrent_threads(run)
    ):
        count_untracked(run, f"{space.get('__name__', '?')}.__getattr__()", site)
    if more or name not in space or not is_a(space[name], CONSTANT) or name in sites.stored:
        global_access(run, space_name(space), name, site, _READ, space, more)


#: Globals of modules that are not instrumented, whose users report the accesses.
_STREAMS: Final = frozenset("stdin stdout stderr".split())


def module_write(run: Any, module: Any, name: str, site: int, op: Op = _WRITE) -> None:
    """A global is about to be stored, or deleted, by way of its module."""
    space = objects.dictionary(module)
    file = space.get("__file__")
    if name == "__class__" and has_concurrent_threads(run):
        count_untracked(run, f"assignment to {space.get('__name__', '?')}.__class__", site)
    if space is vars(builtins) and not run.is_recording:
        count_untracked(run, f"assignment to the builtin {name}", site)
    elif file not in sites.instrumented and space.get("__spec__") is not None and name not in _STREAMS:
        if has_concurrent_threads(run) and not run.is_recording:  # other code reads it without a step
            count_untracked(run, f"assignment to {space.get('__name__', '?')}.{name}", site)
    if file in sites.instrumented and name not in sites.variables(file):
        count_untracked(
            run, f"assignment to {space.get('__name__', '?')}.{name}, which its module takes for a constant", site
        )
    more: tuple[Access, ...] = ()
    if file is None and (
        op is not _WRITE or name not in space
    ):  # of others, the names that their code stores are known
        more = (Access(Op.RMW, (STRUCTURE, objects.number(space))),)
    global_access(run, space_name(space), name, site, op, space, more)


def global_access(
    run: Any, module: str, name: str, site: int, op: Op, space: dict[str, Any], more: tuple[Access, ...] = ()
) -> None:
    """A module's global is about to be read or stored, with ``more`` accesses in the same step."""
    target = (GLOBAL, module, name)
    value = None
    if _is_foreign(module, space) and not is_a(space.get(name), type):
        state = Access(op if op is _READ else Op.RMW, (OBJECT, root_of(module)))  # its functions change it unseen
        more = (state, *more)
    if run.detail:
        run.names[target] = name
        value = objects.peek(lambda: space.get(name, objects.MISSING), name)
        for access in more:
            run.names.setdefault(access.target, f"the state of {root_of(module)}")
    if mortal and op is not _READ:
        more = (*more, *ends_of([space.get(name)]))
    run.visit(op, target, site, value, more)


def _is_foreign(module: str, space: dict[str, Any]) -> bool:
    """Whether a module has code in Python that is not instrumented, nor modelled."""
    file = space.get("__file__")
    return is_a(file, str) and file not in sites.instrumented and root_of(module) not in harmless.MODELLED
