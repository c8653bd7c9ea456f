"""Mazurka finds, explains and replays concurrency bugs in threaded Python programs.

In a notebook ``%load_ext mazurka`` adds ``%%mazurka``, which checks a cell (:mod:`mazurka.notebook`).

Programs may use :func:`check`, :func:`fence`, :class:`atomic`, :func:`linearizable`, :func:`symbolic_int`,
:func:`symbolic_bool`, :func:`symbolic_choice`, :func:`symbolic_str` and ``__version__`` from here; everything else is
the command line and the pytest plugin. Importing this package is cheap: test modules do it in every run, whether
Mazurka is used or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from mazurka.atomics import atomic, fence
from mazurka.marked_methods import linearizable
from mazurka.unknown_inputs import symbolic_bool, symbolic_choice, symbolic_int, symbolic_str

__all__ = [
    "__version__",
    "atomic",
    "check",
    "fence",
    "linearizable",
    "symbolic_bool",
    "symbolic_choice",
    "symbolic_int",
    "symbolic_str",
]
__version__ = "0.1.0"

_Test = TypeVar("_Test", bound=Callable[..., Any])


@overload
def check(test: _Test, /) -> _Test: ...
@overload
def check(**settings: Any) -> Callable[[_Test], _Test]: ...
def check(test: Any = None, /, **settings: Any) -> Any:
    """Let pytest run this test in every relevant order of its threads, with or without ``--mazurka``.

    The settings are the keys of the configuration with underscores: ``@mazurka.check(strategy="pct", time_limit=20)``.
    A wrong one raises :class:`mazurka.errors.UsageError` at once. The test itself is unchanged. Only ``replay`` is no
    setting: it is the token or file of a schedule, by which the test then runs.
    """
    if settings:
        from mazurka.config import from_arguments

        from_arguments({name: value for name, value in settings.items() if name != "replay"}, "decorator mazurka.check")

    def mark(function: Any) -> Any:
        function.__mazurka__ = settings
        return function

    return mark if test is None else mark(test)


def load_ipython_extension(shell: Any) -> None:
    """Add ``%%mazurka`` to IPython, for ``%load_ext mazurka``."""
    from mazurka.notebook import register

    register(shell)
