"""State of the process: one location for each part, such as ``("process", "working directory")``.

All threads share this state. A function that gets such a part reads its location, one that sets it writes it, one that
does both at once (``umask``) changes it. All parts that a run has set are put back at its end.

Automatic garbage collection is off while a check lasts, so that finalisers run where they run in every execution
(:func:`~mazurka.program.python.isolation.state.hold_collector`); the program's settings of it are only remembered.
"""

from __future__ import annotations

import _locale
import gc
import locale
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import ASIDE, replace_function, replace_method
from mazurka.program.python.primitives import run as _run
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read, write
from mazurka.trace.targets import Kind, Target


def place(name: str) -> tuple[Target, str]:
    """The location of a part of the state, and its name."""
    return (Kind.PROCESS.tag, name), f"the process's {name}"


def _pass(models: Models, how: Callable[[Target, str], StepAccess], name: str) -> None:
    pass_step(models, how(*place(name)))


#: The working directory, for code that resolves a path from there.
WORKING_DIRECTORY: Final = place("working directory")
UMASK: Final = place("umask")


def count_change(models: Models, name: str) -> None:
    """State is about to change that code in C reads without a step."""
    count_untracked(models.runtime, f"a change of the process's {name}")


# -- getters and setters ----------------------------------------------------------------------------


def _getting(name: str) -> Callable[..., Any]:
    def get(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        _pass(models, read, name)
        return real(*args, **named)

    return get


def _setting(name: str, save: Callable[[], Callable[[], object]], unseen: bool = False) -> Callable[..., Any]:
    def set_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        if unseen:
            count_change(models, name)
        _pass(models, write, name)
        undo_at_end(models, name, save)
        return real(*args, **named)

    return set_


def _by(get: Callable[[], Any], put: Callable[[Any], object]) -> Callable[[], Callable[[], object]]:
    """A function that saves the result of ``get``, and returns one that passes it to ``put``."""

    def save() -> Callable[[], object]:
        before = get()
        return lambda: put(before)

    return save


def _property(name: str, module: Any, getter: str, setter: str, *, spread: bool = False, unseen: bool = False) -> None:
    """Replace a getter and a setter of one part of the state. ``unseen``: code in C reads this part, too."""
    get, put = getattr(module, getter, None), getattr(module, setter, None)
    if get is None or put is None:
        return
    replace_function(module, getter, _getting(name))
    replace_function(module, setter, _setting(name, _by(get, (lambda value: put(*value)) if spread else put), unseen))


_property("default socket timeout", socket, "getdefaulttimeout", "setdefaulttimeout")
_property("recursion limit", sys, "getrecursionlimit", "setrecursionlimit", unseen=True)
_property("switch interval", sys, "getswitchinterval", "setswitchinterval")
_property("limit of digits", sys, "get_int_max_str_digits", "set_int_max_str_digits", unseen=True)
_property("collector's thresholds", gc, "get_threshold", "set_threshold", spread=True)
_property("collector's debugging flags", gc, "get_debug", "set_debug")
_property("flags for loading libraries", sys, "getdlopenflags", "setdlopenflags", unseen=True)

#: Saves the working directory; `chdir` and `getcwd` look at entries, too (:mod:`.looking`).
SAVED_DIRECTORY: Final = _by(os.getcwd, os.chdir)
replace_function(os, "fchdir", _setting("working directory", SAVED_DIRECTORY))


def _umask(models: Models, real: Any, mask: int) -> Any:
    _pass(models, change, "umask")

    def save() -> Callable[[], object]:
        before = real(0o077)
        real(before)
        return lambda: real(before)

    undo_at_end(models, "umask", save)
    return real(mask)


replace_function(os, "umask", _umask)


def _setlocale(models: Models, real: Any, category: int, locale: Any = None) -> Any:
    _pass(models, read if locale is None else change, "locale")
    if locale is not None:
        count_change(models, "locale")
        undo_at_end(models, "locale", _by(lambda: real(_ALL), lambda value: real(_ALL, value)))
    return real(category, locale)


_ALL: Final = locale.LC_ALL
replace_function(locale, "setlocale", _setlocale)
replace_function(_locale, "setlocale", _setlocale)  # the function that `locale` itself calls
replace_function(_locale, "localeconv", _getting("locale"))
for _name in ("getlocale", "localeconv", "strcoll", "strxfrm", "nl_langinfo", "getpreferredencoding"):
    replace_function(locale, _name, _getting("locale"))


def _set_zone(models: Models, real: Any) -> Any:
    count_change(models, "time zone")
    _pass(models, write, "time zone")
    undo_at_end(models, "time zone", lambda: real)
    return real()


replace_function(time, "tzset", _set_zone)


def _setting_unseen(name: str) -> Callable[..., Any]:
    """The wrapper of a setter whose effect is put back elsewhere, or does not outlive the run."""

    def set_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        _pass(models, write, name)
        return real(*args, **named)

    return set_


for _name in ("settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads"):
    replace_function(threading, _name, _setting_unseen("hooks for new threads"))  # the models of the run keep these
for _name in ("gettrace", "getprofile"):
    replace_function(threading, _name, _getting("hooks for new threads"))


def _stack_size(models: Models, real: Any, *size: int) -> Any:
    _pass(models, change if size else read, "size of stacks")
    if size:
        undo_at_end(models, "size of stacks", _by(real, real))
    return real(*size)


replace_function(threading, "stack_size", _stack_size)


# -- limits of resources ----------------------------------------------------------------------------


def _limits() -> None:
    try:
        import resource  # not on every platform
    except ImportError:
        return

    def get(models: Models, real: Any, which: int) -> Any:
        _pass(models, read, f"resource limit {which}")
        return real(which)

    get_real = resource.getrlimit

    def put(models: Models, real: Any, which: int, limits: Any) -> Any:
        count_change(models, "resource limits")
        _pass(models, write, f"resource limit {which}")

        def save() -> Callable[[], object]:
            before = get_real(which)
            return lambda: real(which, before)

        undo_at_end(models, (Kind.RESOURCE_LIMIT.tag, which), save)
        return real(which, limits)

    replace_function(resource, "getrlimit", get)
    replace_function(resource, "setrlimit", put)


_limits()


# -- signals ----------------------------------------------------------------------------


_handler_of: Final = signal.getsignal


def _getsignal(models: Models, real: Any, number: int) -> Any:
    _pass(models, read, f"handler of signal {int(number)}")
    return real(number)


def _set_signal(models: Models, real: Any, number: int, handler: Any) -> Any:
    if models.runtime.current.index:
        raise ValueError("signal only works in main thread of the main interpreter")
    _pass(models, change, f"handler of signal {int(number)}")
    before = _handler_of(number)
    if before is not None:  # None: the handler was not set by Python
        undo_at_end(models, (Kind.SIGNAL.tag, int(number)), lambda: lambda: real(number, before))
    return real(number, handler)


replace_function(signal, "signal", _set_signal)
replace_function(signal, "getsignal", _getsignal)


# -- the environment ----------------------------------------------------------------------------


def _variable(environment: Any, key: Any) -> tuple[Target, str] | None:
    try:
        name = os.fsdecode(environment.encodekey(key))  # the same in `os.environ` and in `os.environb`
    except TypeError:
        return None  # the real method is about to report the error
    return (Kind.ENVIRONMENT.tag, name), f"os.environ[{name!r}]"


_VARIABLES: Final = ((Kind.ENVIRONMENT.tag,), "os.environ's keys")


def _is_the_environment(environment: Any) -> bool:
    return environment is os.environ or environment._data is os.environ._data  # type: ignore[attr-defined]


def _get_variable(models: Models, real: Any, environment: Any, key: Any) -> Any:
    where = _variable(environment, key)
    if where is not None and _is_the_environment(environment):
        pass_step(models, read(*where))
    return real(environment, key)


def _changing_variable(models: Models, real: Any, environment: Any, key: Any, *value: Any) -> Any:
    where = _variable(environment, key)
    if where is not None and _is_the_environment(environment):
        _keep_environment(models)
        if where[0][1] == "TZ":
            count_change(models, "time zone")
        how = write if value else change  # a deletion fails if there is no such variable
        pass_step(models, how(*where), change(*_VARIABLES))  # also if it is there, which depends on other threads
    with ASIDE:  # the method also sets the variable for code in C
        return real(environment, key, *value)


def _put_variable(models: Models, real: Any, *args: Any) -> Any:
    """Stands for `os.putenv` and `os.unsetenv`, whose changes `os.environ` does not show."""
    count_change(models, "environment")
    return real(*args)


for _name in ("putenv", "unsetenv"):
    replace_function(os, _name, _put_variable)


def _keep_environment(models: Models) -> None:
    environment: Any = os.environ

    def save() -> Callable[[], object]:
        before = dict(environment._data)

        def put_back() -> None:
            if environment._data != before:
                for name in [each for each in environment._data if each not in before]:
                    del environment[environment.decodekey(name)]
                for name, value in before.items():
                    environment[environment.decodekey(name)] = environment.decodevalue(value)

        return put_back

    undo_at_end(models, "environment", save)


def _look_at_variables(models: Models, real: Any, environment: Any) -> Any:
    if _is_the_environment(environment):
        pass_step(models, read(*_VARIABLES))
    return real(environment)


def _copy_variables(models: Models, real: Any, environment: Any) -> Any:
    if _is_the_environment(environment):
        pass_step(models, *variables())
    return real(environment)


def variables() -> list[StepAccess]:
    """The reads of a look at the whole environment."""
    environment: Any = os.environ
    each = [where for key in list(environment._data) if (where := _variable(environment, environment.decodekey(key)))]
    return [read(*_VARIABLES), *[read(*where) for where in each]]


def _search_path(models: Models, real: Any, env: Any = None) -> Any:
    """Stands for `os.get_exec_path`, which silences warnings meanwhile."""
    where = _variable(os.environ, "PATH") if env is None or _is_the_environment(env) else None
    if where is not None:
        pass_step(models, read(*where))
    with ASIDE:
        return real(env)


replace_method("os", "_Environ.__getitem__", _get_variable)
replace_method("os", "_Environ.__setitem__", _changing_variable)
replace_method("os", "_Environ.__delitem__", _changing_variable)
for _name in ("__iter__", "__len__"):
    replace_method("os", f"_Environ.{_name}", _look_at_variables)
replace_function(os, "get_exec_path", _search_path)
for _name in ("copy", "__repr__"):
    replace_method("os", f"_Environ.{_name}", _copy_variables)


# -- the collector ----------------------------------------------------------------------------


class _Collector:
    """Whether the program has turned automatic collection on; in fact it is off while a check lasts."""

    is_enabled = True
    at_start = True


_collector: Final = _Collector()


def hold() -> None:
    """A check begins: :func:`~mazurka.program.python.isolation.state.hold_collector` is about to turn it off."""
    _collector.at_start = _collector.is_enabled = gc.isenabled()


def _begin(models: Models) -> None:
    _collector.is_enabled = _collector.at_start


_run.beginners.append(_begin)


def _is_enabled(models: Models, real: Any) -> bool:
    _pass(models, read, "collector")
    return _collector.is_enabled


def _turning(on: bool) -> Callable[..., None]:
    def turn(models: Models, real: Any) -> None:
        _pass(models, write, "collector")
        _collector.is_enabled = on

    return turn


replace_function(gc, "isenabled", _is_enabled)
replace_function(gc, "enable", _turning(True))
replace_function(gc, "disable", _turning(False))


__all__ = ["UMASK", "WORKING_DIRECTORY", "count_change", "hold", "place", "variables"]
