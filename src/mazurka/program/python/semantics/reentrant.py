"""Operations that run code of the program: they are reported again each time they go on.

A hook reports a native operation just before it. Some run code of the program on the way: ``list.sort`` and `heapq`
call ``__lt__`` or a key function, a dictionary ``__hash__`` and ``__eq__`` of its keys or a default's factory,
``extend`` a generator. Other threads may move meanwhile, as in CPython, and the effect of the operation when it goes on
comes after their steps. So it is reported in parts: whenever such code returns to the operation, the accesses of the
operation are reported again, at a point of its own.

The operation is determined when such code begins: it was announced last, at the very place where the next frame of the
program stands. It counts only if it was reported at a point; other operations access no shared location. Its accesses
are those announced; if it may change the container, its structure counts as changed.

The rewriter makes those functions report that the language, or code that got them as a value, may call
(:func:`entered`, :func:`left`); iterators that an operation goes through are wrapped (:func:`accompanied`).

Cost: a tenth of a microsecond for each call of such a function; some microseconds in the midst of an operation.
"""

from __future__ import annotations

import dis
import sys
import types
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import consulted
from mazurka.program.python.semantics.locations import BASES, bases, item, keys_added
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.trace.event import Op
from mazurka.trace.targets import STRUCTURE, Kind, is_of_object, kind_of, of_kinds

#: Whether iterators consumed meanwhile are left as they are.
_is_one_value: Final = of_kinds(Kind.ATTRIBUTE, Kind.OBJECT)

#: Kinds of sites at which an operation may change the targets reported as reads: it stands where its node stands.
_CHANGING: Final = frozenset({"call", "change", "change item", "write item", "delete item"})

#: Kinds of sites whose operation belongs to a statement around the operand.
_AROUND: Final = frozenset({"iterate", "format", "unpack", "match", "search"})

#: Kinds of sites whose operation is an operator that stands elsewhere, or none: a look-up, whose value may be the last
#: operand of one (``other == self.value`` ends where ``self.value`` ends).
_LOOK_UPS: Final = frozenset({"read", "global"})

#: Kinds of sites whose operation is a call or the look-up of an item, and the instructions of operators, which are
#: neither (from 3.14 on, BINARY_OP also looks an item up).
_CALLS: Final = frozenset({"call", "read item"})
_OPERATORS: Final = frozenset(
    ["COMPARE_OP", "CONTAINS_OP", "UNARY_NOT", "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_POSITIVE", "TO_BOOL"]
    + ["BINARY_OP"] * (sys.version_info < (3, 14))
)

#: Methods and functions that never change their operands.
_LOOKING: Final = frozenset(
    "get index count copy len list tuple set frozenset dict sorted sum min max any all str repr union intersection "
    "difference symmetric_difference issubset issuperset isdisjoint".split()
)

#: The first and last line, and the first and last column, of an instruction's expression, and the instruction's name.
_Place = tuple[int, int, int, int, str]

_Entry = tuple[int, Op, Any, int, bool, Any, tuple[Access, ...]]

#: id of the frame of a function in the midst of an operation -> the step that announced it.
_open: dict[int, _Entry] = per_run({})
_places: dict[tuple[types.CodeType, int], _Place] = per_run({})
_first: Final = itemgetter(0)


#: A step that is the whole of its operation, which does not go on where a function returns.
_finished: _Entry | None = None


def finish(run: Any, site: int) -> None:
    """The step that a hook at ``site`` has just reported to the runtime, if any, was the whole operation."""
    global _finished
    last: _Entry | None = run.log[-1] if run.log else None
    if last is not None and last[3] == site and last[0] == run.current.index:
        _finished = last


def entered() -> None:
    """A function begins that may have been called from the midst of an operation."""
    run = activation.active
    if run is None or run.solo or not run.log:
        return
    if _open:
        _open.pop(id(sys._getframe(1)), None)  # that of an earlier frame, which an exception ended
    last = run.log[-1]
    if last[4] and last[0] == run.current.index and is_of_object(last[2]) and last is not _finished:
        frame = sys._getframe(1)
        if _is_under_way(frame.f_back, last[3]):
            _open[id(frame)] = last


def left() -> None:
    """... and returns, in any way."""
    if _open:
        last = _open.pop(id(sys._getframe(1)), None)
        if last is not None:
            report_again(last)


def left_with(_entered: None, value: Any) -> Any:
    """... and returns ``value``: a lambda."""
    if _open:
        last = _open.pop(id(sys._getframe(1)), None)
        if last is not None:
            report_again(last)
    return gives(value, 1)


def gives(value: Any, depth: int = 0) -> Any:
    """A function that code in C may call is about to return ``value``."""
    run = activation.active
    if run is not None and not run.solo:
        consulted.given(run, sys._getframe(depth + 1).f_code, value)
    return value


def report_again(last: _Entry) -> None:
    """The operation that a step announced goes on: report its accesses again."""
    run = activation.active
    if run is None or run.solo or run.aborting:
        return
    _, op, target, place, _, _, more = last
    kind = kind_of(target)
    if kind is Kind.OBJECT or (kind is Kind.ATTRIBUTE and not _is_item(place)):
        op = Op.RMW  # a cache, or a descriptor, that keeps the function's result
    elif _may_change(place):
        structure = (STRUCTURE, -target[1] if kind is Kind.ATTRIBUTE else target[1])
        if run.detail:
            run.names.setdefault(structure, run.names.get(target, ""))
        more = (Access(Op.RMW, target), *more) if target != structure else more
        op, target = Op.RMW, structure
    run.visit(op, target, place, None, more)


def _may_change(place: int) -> bool:
    site = sites.site(place)
    return site is None or (site.kind in _CHANGING and site.name.rpartition(".")[2] not in _LOOKING)


def _is_item(place: int) -> bool:
    site = sites.site(place)
    return site is not None and site.kind != "read"


def _is_under_way(frame: types.FrameType | None, place: int) -> bool:
    """Whether the program's next outer frame is at the site, where the operation takes place."""
    site = sites.site(place)
    while frame is not None and frame.f_code.co_filename not in sites.instrumented:
        frame = frame.f_back
    if frame is None or site is None or frame.f_code.co_filename != site.file:
        return False
    start, end, first, column, instruction = _place(frame.f_code, frame.f_lasti)
    if site.kind in _AROUND:
        return start <= site.line <= end
    if (end, column) != (site.end_line, site.end_column):
        return False
    if site.kind in _LOOK_UPS:  # carried out by an instruction of its own, or a hook in its place
        is_hook = instruction.startswith("CALL") and (start, first + 1) == (site.line, site.column)
        return is_hook or instruction.startswith("LOAD_")
    return site.kind not in _CALLS or instruction not in _OPERATORS


def _place(code: types.CodeType, offset: int) -> _Place:
    """The place of an instruction."""
    known = _places.get((code, offset))
    if known is None:
        start, end, first, column = list(code.co_positions())[offset // 2]
        name = dis.opname[code.co_code[offset]]
        known = _places[code, offset] = (start or 0, end or 0, first or 0, column or 0, name)
    return known


def accompanied(run: Any, owner: Any, site: int, things: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of an operation just announced at ``site``, with iterators that run code of the program wrapped so
    that they report it."""
    last = _announced(run, site)
    if is_a(owner, dict) and run.log and run.log[-1][3] == site:
        return tuple([map(_Keyed(run.log[-1], owner), each) if runs_code(each) else each for each in things])
    if last is None or _is_one_value(last[2]):
        return things
    return tuple([_accompany(each, last) if runs_code(each) else each for each in things])


def _announced(run: Any, site: int) -> _Entry | None:
    """The step that a hook at ``site`` has just reported to the runtime, if the operation accesses shared state."""
    last: _Entry | None = run.log[-1] if run.log else None
    if last is None or last is _finished:
        return None
    return last if last[4] and last[3] == site and is_of_object(last[2]) else None


def runs_code(thing: Any) -> bool:
    """Whether iterating the object may run code of the program: a lazy builtin, or an iterator written in Python."""
    kind = type(thing)
    if kind in _LAZY:
        return True
    if not kind.__flags__ & 1 << 9 or any(each in BASES for each in bases(kind)):
        return False
    found = getattr(kind, "__next__" if hasattr(kind, "__next__") else "__iter__", None)
    return type(found) is types.FunctionType and not hasattr(kind, "keys")


def _accompany(thing: Any, last: _Entry) -> Iterator[Any]:
    return chain(map(_first, zip(thing, _between(last), strict=False)), _afterwards(last))


class _Keyed:
    """Reports a dictionary's new keys as `update` gets them: they are not known before."""

    __slots__ = ("counts", "last", "owner")

    def __init__(self, last: _Entry, owner: Any) -> None:
        self.last = last
        self.owner = owner
        self.counts = is_a(owner, Counter)

    def __call__(self, given: Any) -> Any:
        run = activation.active
        if run is not None and not run.solo and not run.aborting:
            key = (
                given if self.counts else given[0] if (type(given) is tuple or type(given) is list) and given else None
            )
            n = number(self.owner)
            keys, *read = keys_added(self.owner, n)
            run.visit(keys.op, keys.target, self.last[3], None, (Access(Op.WRITE, item(n, key)), *read))
        return given


def _between(last: _Entry) -> Iterator[None]:
    while True:
        report_again(last)
        yield None


def _afterwards(last: _Entry) -> Iterator[None]:
    report_again(last)
    yield from ()


#: The name that stands for the method ``join`` of a text or of bytes: other classes have methods of this name, too.
JOIN: Final = "text.join"

#: Methods in C, of objects that have a state, that iterate over their argument and keep no reference to it.
GONE_THROUGH: Final = frozenset({"writerow", "writerows", "writelines", "executemany", JOIN})
_LAZY: Final = frozenset({types.GeneratorType, map, filter, zip})


def accompanied_by_state(run: Any, site: int, name: str, things: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of a method in C of an object that has a state, with iterators wrapped if they run code of the
    program."""
    if name not in GONE_THROUGH:
        return things  # the method may keep the argument, or use it in another way
    last = _announced(run, site)
    if last is None or kind_of(last[2]) is not Kind.OBJECT:
        return things
    return tuple([_accompany(each, last) if runs_code(each) else each for each in things])


def count_silent(run: Any, site: int, things: Iterable[Any], accompanied: bool = False) -> None:
    """Functions that an operation just announced at ``site`` may call: count functions that don't report, and iterators
    that run code, if they are not wrapped."""
    last = _announced(run, site)
    if last is None:
        return
    for each in things:
        if kind_of(last[2]) is Kind.OBJECT and not accompanied and type(each) in _LAZY:
            count_untracked(run, "a generator that a method in C iterates over", site)
        function = each.__func__ if type(each) is types.MethodType else each
        if type(function) is types.FunctionType and function.__code__.co_filename in sites.instrumented:
            if "__mz_en__" not in function.__code__.co_names:
                count_untracked(run, f"{function.__qualname__}(), called during an operation,", site)


def restart() -> None:
    """A run begins."""
    global _finished
    _finished = None
