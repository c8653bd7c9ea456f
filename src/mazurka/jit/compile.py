"""Kernels: functions in plain Python on numbers and arrays, compiled by numba when they are first called.

There are two ways to have one, both of which leave the source as it is read:

- a function of a module that is only imported for compiled code is decorated (:func:`jit`, :func:`inner`,
  :func:`inlined`);
- functions that also run interpreted, on lists, where there is too little to do to wait for numba, are compiled when
  there is more: one by :func:`jit`, those that call each other by :func:`compiled_together`, as copies that call each
  other's copies.

Compiled code is kept on disk, next to the source or in ``NUMBA_CACHE_DIR``. numba takes it for valid as long as the
function's own file is unchanged, though code of other files may be compiled into it. So copies are kept under names
that depend on all their sources; after a change of a decorated function, delete ``__pycache__/*.nb?`` of the modules
that import it.

All kernels divide as NumPy does, without asking for zero, and have no C callback. numba is imported where the first
kernel is made, and knows no types: to a type checker a kernel is the function that it was made of.

Cost: importing numba takes a third of a second, compiling a kernel from a tenth of a second to ten, loading it a
hundredth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, Final, ParamSpec, TypeVar
from zlib import crc32

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Form:
    """How a kernel is compiled: by default as one that Python calls, and that makes no arrays."""

    #: Python calls it. What only kernels call compiles in half the time without what Python would need.
    called: bool = True
    #: It is compiled into each kernel that calls it: to hand over many arrays takes longer than what it does.
    inlined: bool = False
    #: It makes arrays, or gets some that others made, and so has to count who refers to them. All others are compiled
    #: in half the time without, and take a third of it to run.
    allocates: bool = False
    #: It is so short that to let other threads go on meanwhile would take longer.
    keeps_gil: bool = False


_CALLED: Final = Form()
_INNER: Final = Form(called=False)
_INLINED: Final = Form(inlined=True)


class Kernels(SimpleNamespace):
    """Functions that were compiled together, each by its name."""


def jit(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that Python calls, compiled; the original stays as it is."""
    return _jitted(function, _CALLED)


def inner(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that only kernels call, compiled."""
    return _jitted(function, _INNER)


def inlined(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that is compiled into the innermost loops that call it."""
    return _jitted(function, _INLINED)


def compiled_together(functions: Iterable[Callable[..., Any]], form_of: Callable[[str], Form]) -> Kernels:
    """The compiled versions of functions of one or several modules that call each other.

    They see the globals of all these modules, which must not mean different things by one name; ``form_of`` says by the
    name of a function how it is compiled.
    """
    listed = [function for function in functions if isinstance(function, FunctionType)]
    space = _globals_of(listed)
    sources = sorted({function.__code__.co_filename for function in listed})
    digest = crc32(b"".join(Path(source).read_bytes() for source in sources))
    for function in listed:
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
        copy.__module__, copy.__qualname__ = function.__module__, f"{function.__name__}_{digest:08x}"
        space[function.__name__] = _jitted(copy, form_of(function.__name__))
    return Kernels(**{function.__name__: space[function.__name__] for function in listed})


def _globals_of(functions: Iterable[FunctionType]) -> dict[str, Any]:
    """The globals of all these functions, in one space."""
    space: dict[str, Any] = {}
    modules: Mapping[int, Mapping[str, Any]] = {id(each.__globals__): each.__globals__ for each in functions}
    for module in modules.values():
        own = {name: value for name, value in module.items() if not name.startswith("__")}
        clash = [name for name, value in own.items() if space.get(name, value) is not value]
        assert not clash, f"{module.get('__name__')} means something else by {', '.join(clash)}"
        space |= own
    return space


def _jitted(function: Callable[_P, _R], form: Form) -> Callable[_P, _R]:
    import numba

    njit: Any = numba.njit  # its type does not list all of its options
    made: Callable[_P, _R] = njit(
        cache=True,
        nogil=not form.keeps_gil,
        error_model="numpy",
        inline="always" if form.inlined else "never",
        no_cfunc_wrapper=True,
        no_cpython_wrapper=not form.called,
        _nrt=form.allocates,
    )(function)
    _survive_renamed_classes(made)
    return made


def _survive_renamed_classes(kernel: Any) -> None:
    """Have the kernel compiled again if its cache on disk names classes that no longer exist.

    numba pickles the types of arguments, ours among them, and reads the index before it compares the source's time.
    """
    file = getattr(kernel._cache, "_cache_file", None)
    if file is None:
        return
    load = file._load_index

    def load_index() -> Any:
        try:
            return load()
        except (AttributeError, ImportError):
            return {}

    file._load_index = load_index
