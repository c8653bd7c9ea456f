"""Kernels: functions in plain Python on numbers and arrays, compiled by numba when they are first called.

There are two ways to make one, both of which leave the source unchanged:

- a function of a module that is only imported for compiled code is decorated (:func:`jit`, :func:`inner`,
  :func:`inlined`);
- functions that also run interpreted, on lists, if there is too little work to wait for numba, are compiled when there
  is more: single ones by :func:`jit`, functions that call each other by :func:`compiled_together`, as copies that call
  each other's copies.

Compiled code is kept on disk, next to the source or in ``NUMBA_CACHE_DIR``. numba considers it valid as long as the
function's own file is unchanged, although code of other files may be compiled into it. So copies are kept under names
that depend on all their sources; after a change of a decorated function, delete ``__pycache__/*.nb?`` of the modules
that import it.

numba is an extra. Without it nothing is compiled: callers ask first (:func:`pays`), and interpret kernels of the second
kind whatever their work; modules of the first kind can't be imported.

All kernels divide as NumPy does, without a test for zero, and have no C callback. numba is imported when the first
kernel is made. It has no type annotations: for a type checker a kernel is the function that it was made from.

Cost: importing numba takes a third of a second, compiling a kernel from a tenth of a second to ten, loading it a
hundredth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, Final, ParamSpec, TypeVar
from zlib import crc32

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Form:
    """The form in which a kernel is compiled: by default Python calls it, and it makes no arrays."""

    #: Python code calls it. Without a wrapper for Python, functions that only kernels call compile in half the time.
    called: bool = True
    #: It is compiled into each kernel that calls it, since passing many arrays takes longer than its work.
    inlined: bool = False
    #: It makes arrays, or gets arrays made by others, and so has to count references to them. Without counting the
    #: others compile in half the time, and run in a third.
    allocates: bool = False
    #: It is so short that releasing the interpreter's lock would take longer.
    keeps_gil: bool = False


_CALLED: Final = Form()
_INNER: Final = Form(called=False)
_INLINED: Final = Form(inlined=True)


class Kernels(SimpleNamespace):
    """Functions that were compiled together, each by its name."""


@cache
def is_available() -> bool:
    """Whether numba is installed; it is not imported."""
    try:
        return find_spec("numba") is not None
    except ImportError:
        return False


def pays(work: int, least: int) -> bool:
    """Whether so much work is to be done by compiled code, which pays from ``least`` on."""
    return work >= least and is_available()


def jit(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function that Python calls; the original is unchanged."""
    return _jitted(function, _CALLED)


def inner(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function that only kernels call."""
    return _jitted(function, _INNER)


def inlined(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function into the innermost loops that call it."""
    return _jitted(function, _INLINED)


def compiled_together(functions: Iterable[Callable[..., Any]], form_of: Callable[[str], Form]) -> Kernels:
    """The compiled versions of functions of one or several modules that call each other.

    They see the globals of all these modules, in which a name must not have different values; ``form_of`` gives the
    form for the name of a function.
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
    """Let the kernel be compiled again if its cache on disk names classes that no longer exist.

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
