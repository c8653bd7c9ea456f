"""SeqCheck's functions, interpreted for short traces, and compiled by numba for long ones.

Compiling takes ten seconds the first time, too long for questions about some thousand events. If another process is
compiling already, that is too long for more events, too (:func:`postpone`): meanwhile only the steps of questions have
to be compiled. numba is imported when compiled functions are first asked for. It considers its cache on disk valid as
long as a function's own file is unchanged, although code of other files is compiled into it; so the cache's name
depends on all sources.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final

from mazurka.jit.compile import Form, Kernels, compiled_together, pays
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

#: The functions that are not compiled.
_PYTHON: Final = frozenset({"index_of", "_classes", "_loose", "cone_of"})

#: The functions that Python code calls.
_CALLED: Final = frozenset({"survey", "choose", "fill", "touch", "scan", "decide", "frees", "put_back"})

#: The functions that take most of the time of a question.
STEPS: Final = frozenset({"look_from", "grow", "_as_it_was", "close", "forget", "lay_out"})

#: The called functions that take long to compile.
SLOW: Final = frozenset({"scan", "decide"})

#: Most other functions are inlined into each of these, and optimised again; so these are inlined, too, so that it
#: happens once.
_INLINED: Final = frozenset({"_ask_all", "_decide_since", "_close"})

#: The result types of functions that return no arrays.
_NUMBERS: Final = frozenset({"None", "bool", "int"})


def _functions() -> dict[str, FunctionType]:
    found: dict[str, FunctionType] = {}
    for part in _PARTS:
        own = {n: v for n, v in vars(part).items() if isinstance(v, FunctionType) and v.__module__ == part.__name__}
        assert not found.keys() & own.keys(), f"the compiled functions share one space of names: {part.__name__}"
        found |= {name: value for name, value in own.items() if name not in _PYTHON}
    return found


def _counting(functions: dict[str, FunctionType]) -> set[str]:
    """The functions that make arrays, or get arrays made by others, and so have to count references to them. Without
    counting the others compile faster, and run in a third of the time."""
    making = {name for name, value in functions.items() if value.__annotations__["return"] not in _NUMBERS}
    using = {name: {*value.__code__.co_names} for name, value in functions.items()}
    return making | {name for name, names in using.items() if names & {"np", "copy"} or names & making}


#: The functions, interpreted.
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
    """The functions for a trace of ``events`` events."""
    return _Compiled() if pays(events, COMPILE_FROM) else INTERPRETED


class _Compiled:
    """The compiled functions; functions that are still being compiled are interpreted, on the same arrays."""

    def __getattr__(self, name: str) -> Any:
        there = _AWAITED.get(name)
        return getattr(compiled() if there is None or there() else _partly(), name)


_AWAITED: Final[dict[str, Callable[[], bool]]] = {}


def postpone(name: str, is_there: Callable[[], bool]) -> None:
    """From now on ``scan`` or ``decide`` is interpreted, except the steps of questions, until ``is_there`` says that it
    has been compiled as a whole."""
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
