"""SeqCheck's functions as they are, for short traces, and compiled by numba, for long ones.

Compiling takes ten seconds the first time, too long a wait for questions about some thousand events, and for more, if
another process is compiling already (:func:`postpone`): meanwhile no more than the steps of questions has
to be compiled. numba is imported when compiled functions are first asked for. What it keeps on disk it takes for
valid as long as a function's own file is unchanged, although code of other files is compiled into it; so all sources
are part of the name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final

from mazurka.jit.compile import Form, Kernels, compiled_together
from mazurka.predict.seqcheck import cone, decide, index, layout, order, scan

#: Traces of at least this many events are worked on by compiled code.
COMPILE_FROM: Final = 10_000

_PARTS: Final[tuple[ModuleType, ...]] = (
    index,
    cone,
    order,
    layout,
    decide,
    scan,
)

#: Functions of those that stay Python.
_PYTHON: Final = frozenset({"index_of", "_classes", "_loose", "cone_of"})

#: Functions that Python calls.
_CALLED: Final = frozenset({"survey", "choose", "fill", "touch", "scan", "decide", "frees", "put_back"})

#: Functions of a question that take most of the time for it.
STEPS: Final = frozenset({"look_from", "grow", "_as_it_was", "close", "forget", "lay_out"})

#: Those of them that take long to compile.
SLOW: Final = frozenset({"scan", "decide"})

#: Each of these takes in most of the others, which are all optimised once more for that: not once for each, then.
_INLINED: Final = frozenset({"_ask_all", "_decide_since", "_close"})

#: The result of functions in place of arrays that they do not return.
_NUMBERS: Final = frozenset({"None", "bool", "int"})


def _functions() -> dict[str, FunctionType]:
    found: dict[str, FunctionType] = {}
    for part in _PARTS:
        own = {n: v for n, v in vars(part).items() if isinstance(v, FunctionType) and v.__module__ == part.__name__}
        assert not found.keys() & own.keys(), f"the compiled functions share one space of names: {part.__name__}"
        found |= {name: value for name, value in own.items() if name not in _PYTHON}
    return found


def _counting(functions: dict[str, FunctionType]) -> set[str]:
    """Those that make arrays, or get some that others made, and so have to count who refers to them. All others are
    compiled in less time without, and take a third of it to run."""
    making = {name for name, value in functions.items() if value.__annotations__["return"] not in _NUMBERS}
    using = {name: {*value.__code__.co_names} for name, value in functions.items()}
    return making | {name for name, names in using.items() if names & {"np", "copy"} or names & making}


#: The same functions, interpreted.
INTERPRETED: Final = SimpleNamespace(**_functions())


@cache
def compiled() -> Kernels:
    """The functions, each compiled when first called."""
    functions = _functions()
    counting = _counting(functions)

    def form_of(name: str) -> Form:
        return Form(called=name in _CALLED | STEPS, inlined=name in _INLINED, allocates=name in counting)

    return compiled_together(functions.values(), form_of)


def kernel_for(events: int) -> Any:
    """The functions for a trace of so many events."""
    return _Compiled() if events >= COMPILE_FROM else INTERPRETED


class _Compiled:
    """The compiled functions; while those that take long are still being compiled, others in their place, which work
    on the same arrays."""

    def __getattr__(self, name: str) -> Any:
        there = _AWAITED.get(name)
        return getattr(compiled() if there is None or there() else _partly(), name)


_AWAITED: Final[dict[str, Callable[[], bool]]] = {}


def postpone(name: str, is_there: Callable[[], bool]) -> None:
    """From now on ``scan`` or ``decide`` is interpreted, but for the steps of questions, until ``is_there`` says that
    the whole of it has been compiled."""
    _AWAITED[name] = is_there


@cache
def _partly() -> SimpleNamespace:
    parts = (decide, scan)
    space = vars(decide) | vars(scan)
    for name, function in _functions().items():
        if name in STEPS:
            space[name] = getattr(compiled(), name)
        elif function.__module__ in [part.__name__ for part in parts]:
            space[name] = FunctionType(function.__code__, space, name)
    return SimpleNamespace(**{name: space[name] for name in SLOW})
