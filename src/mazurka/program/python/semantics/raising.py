"""Errors that threads share: their methods in C, and the place and the handled error that a raise leaves in them.

Only code that looks at these can notice. So a raise by several threads is counted as untracked if the program's source
mentions one of them anywhere (:data:`.sites.looking_at_tracebacks`). Otherwise this module reports the accesses of
``raise`` that conflict with reads which are accesses themselves.

Cost: some microseconds for a ``raise`` of an exception that was not made on the spot; nothing elsewhere.
"""

from __future__ import annotations

from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import deep_access, objects, untracked
from mazurka.program.python.semantics.locations import contents, perform
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import ends_known, has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, STRUCTURE

#: Number of an exception -> the threads that have raised it, or got it from code that may raise it.
_raisers: Final[dict[int, set[int]]] = per_run({})


#: The attributes that a raise sets; some only with a cause.
_MARKS: Final = (
    *(("__traceback__", Op.WRITE), ("__context__", Op.WRITE)),
    *(("__cause__", Op.RMW), ("__suppress_context__", Op.RMW)),
)


def raised(run: Any, error: Any, site: int) -> None:
    """An error is about to be raised by a statement."""
    if run.solo or run.is_recording or not isinstance(error, BaseException):
        return
    if has_concurrent_threads(run):
        marks = [Access(op, (ATTRIBUTE, number(error), name)) for name, op in _MARKS]
        run.visit(marks[0].op, marks[0].target, site, None, tuple(marks[1:]))
    raised_elsewhere(run, error, site)


def raised_elsewhere(run: Any, error: Any, site: int) -> None:
    """An error is about to be raised by code other than a statement, as by ``Future.result``."""
    if run.is_recording:
        return
    raisers = _raisers.setdefault(number(error), set())
    raisers.add(run.current.index)
    others = raisers - {run.current.index}
    if others and not others <= ends_known(run)[1] and not sites.looking_at_tracebacks.isdisjoint(sites.instrumented):
        untracked.count_untracked(run, "the traceback or context of an exception that several threads raise", site)


def _add_note(run: Any, error: BaseException, n: int, site: int) -> None:
    notes = objects.dictionary(error).get("__notes__")
    inside = contents(notes) if is_a(notes, list) else []
    more = [Access(Op.RMW, access.target) for access in inside]
    run.visit(Op.RMW, (ATTRIBUTE, n, "__notes__"), site, None, (Access(Op.RMW, (STRUCTURE, -n)), *more))


def _change_all(run: Any, error: BaseException, n: int, site: int) -> None:
    changed = [Access(Op.RMW, access.target) for access in deep_access.instance_accesses(error)]
    run.visit(Op.RMW, (STRUCTURE, -n), site, None, tuple(changed))


def method(run: Any, error: BaseException, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A method in C of an error is called: methods that are not listed only look at the error."""
    n = number(error)
    if name == "add_note":
        perform(run, site, _add_note, error, n, site)
    elif name == "with_traceback":
        run.visit(Op.WRITE, (ATTRIBUTE, n, "__traceback__"), site)
    elif name in _CHANGING and has_concurrent_threads(run):
        perform(run, site, _change_all, error, n, site)
    elif name not in _CHANGING:
        deep_access.read(run, (error, *args), site)


#: Methods that set the arguments and attributes of an error.
_CHANGING: Final = frozenset({"__init__", "__setstate__"})
