"""Model of ``time``, and of the clock of ``datetime``: the virtual clock of a run.

Every thread has a time of its own, which only moves when it looks or sleeps, and which is never less than that of the
threads whose effects it has seen (:mod:`~mazurka.program.runtime.runtime`). But there is one clock to look at: the time
that it shows never goes back, in any thread. ``time.time`` starts at a fixed date, ``monotonic`` and ``perf_counter``
at fixed values. The program does not see the time at looks of the standard library's own locks and queues, so these are
no steps; neither are looks for records of `logging`, until a record gets to code that may look at its time
(:mod:`mazurka.program.python.outside.logging_state`).

``datetime.now``, ``utcnow`` and ``date.today`` are methods of C types. Other classes derive from these, their instances
are pickled by their names, and any code may hold them, so no other type can stand in for them: the methods are replaced
in the types' own dictionaries.
"""

from __future__ import annotations

import ctypes
import gc
import math
import operator
import sys
import time
import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.primitives.run import INNER, Models, here, is_of_record
from mazurka.program.runtime.task import RECORD_POINTS

#: The result of ``time.time()`` and ``time.monotonic()`` at the start of a run, in seconds: 14 November 2023, 22:13:20
#: UTC.
EPOCH: Final = 1_700_000_000.0
BOOT: Final = 10_000.0

_BILLION: Final = 1_000_000_000

#: Longer sleeps overflow in CPython.
_LONGEST: Final = 9_223_372_036.0

_CLOCKS: Final = {"time": EPOCH, "monotonic": BOOT, "perf_counter": BOOT, "process_time": 0.0, "thread_time": 0.0}

_real: Final[dict[str, Any]] = dict(vars(time))


def sleep(seconds: Any, /) -> None:
    """``time.sleep`` in virtual time: a point, and no real waiting."""
    models = here()
    if models is None:
        _real["sleep"](seconds)
        return
    if not isinstance(seconds, (int, float)):
        seconds = operator.index(seconds)
    if math.isnan(seconds) or seconds > _LONGEST:
        _real["sleep"](seconds)  # the real function raises the errors
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    models.runtime.sleep(float(seconds))


def _look(models: Models) -> float:
    """The time that the clock shows the caller of the model that calls this."""
    frame = sys._getframe(2)
    is_unseen = RECORD_POINTS not in models.runtime.points and is_of_record(frame)
    return models.runtime.now(shown=frame.f_code.co_filename not in INNER and not is_unseen)


def _clock(name: str, start: float) -> Callable[[], float]:
    real = _real[name]

    def read() -> float:
        models = here()
        return float(real()) if models is None else start + _look(models)

    read.__name__ = read.__qualname__ = name
    return read


def _clock_ns(name: str, start: float) -> Callable[[], int]:
    real = _real[name]

    def read() -> int:
        models = here()
        return int(real()) if models is None else int(start) * _BILLION + int(_look(models) * _BILLION)

    read.__name__ = read.__qualname__ = name
    return read


def clock_gettime(clk_id: int, /) -> float:
    """``time.clock_gettime``: virtual seconds since the epoch or since boot."""
    models = here()
    if models is None:
        return float(_real["clock_gettime"](clk_id))
    return (EPOCH if clk_id == time.CLOCK_REALTIME else BOOT) + _look(models)


def clock_gettime_ns(clk_id: int, /) -> int:
    """``time.clock_gettime_ns``: virtual nanoseconds since the epoch or since boot."""
    models = here()
    if models is None:
        return int(_real["clock_gettime_ns"](clk_id))
    start = int(EPOCH if clk_id == time.CLOCK_REALTIME else BOOT)
    return start * _BILLION + int(_look(models) * _BILLION)


def _calendar(name: str) -> Callable[..., Any]:
    """``localtime`` and its kin: without an argument they look at the clock."""
    real = _real[name]

    def convert(seconds: Any = None, /) -> Any:
        models = here()
        if seconds is None and models is not None:
            seconds = EPOCH + _look(models)
        return real(seconds)

    convert.__name__ = convert.__qualname__ = name
    return convert


def asctime(*when: Any) -> str:
    """``time.asctime``; without an argument, of virtual time."""
    models = here()
    if not when and models is not None:
        when = (_real["localtime"](EPOCH + _look(models)),)
    return str(_real["asctime"](*when))


def strftime(pattern: str, *when: Any) -> str:
    """``time.strftime``; without a time, of virtual time."""
    models = here()
    if not when and models is not None:
        when = (_real["localtime"](EPOCH + _look(models)),)
    return str(_real["strftime"](pattern, *when))


# -- datetime ---------------------------------------------------------------------------------------------------------


def datetime_now(cls: Any, tz: Any = None) -> Any:
    """``datetime.now`` of virtual time."""
    models = here()
    if models is None:
        return _real_now["now"].__get__(None, cls)(tz)
    return cls.fromtimestamp(EPOCH + _look(models), tz)


def datetime_utcnow(cls: Any) -> Any:
    """``datetime.utcnow`` of virtual time."""
    real = _real_now["utcnow"].__get__(None, cls)()  # it warns where it is deprecated
    models = here()
    if models is None:
        return real
    zone = sys.modules["datetime"].timezone.utc
    return cls.fromtimestamp(EPOCH + _look(models), zone).replace(tzinfo=None)


def date_today(cls: Any) -> Any:
    """``date.today`` of virtual time."""
    models = here()
    if models is None:
        return _real_now["today"].__get__(None, cls)()
    return cls.fromtimestamp(EPOCH + _look(models))


#: Names of methods -> their models, and the class that has them.
_MODELS: Final[dict[str, tuple[Callable[..., Any], str]]] = {
    "now": (datetime_now, "datetime"),
    "utcnow": (datetime_utcnow, "datetime"),
    "today": (date_today, "date"),
}

#: The real methods, while they are replaced.
_real_now: Final[dict[str, Any]] = {}


def install_datetime() -> Callable[[], None] | None:
    """Replace the methods of ``datetime`` that read the system's clock; returns the function that undoes this, or None
    if the module is not loaded."""
    module = sys.modules.get("datetime")
    if module is None or not isinstance(vars(module.datetime)["now"], types.ClassMethodDescriptorType):
        return None  # the Python version of the module asks `time`
    for name, (model, owner) in _MODELS.items():
        kind = getattr(module, owner)
        _real_now[name] = vars(kind)[name]
        model.__name__, model.__qualname__ = name, f"{owner}.{name}"
        _put(kind, name, classmethod(model))

    def undo() -> None:
        for name, (_, owner) in _MODELS.items():
            _put(getattr(module, owner), name, _real_now[name])

    return undo


def _put(kind: type, name: str, value: Any) -> None:
    """Set an attribute of a type that does not allow assignments."""
    (space,) = gc.get_referents(vars(kind))
    space[name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def model_of_captured(value: Any) -> Any:
    """The model of a method of ``datetime`` that code captured before it was replaced, or None."""
    if value.__name__ not in _MODELS:
        return None
    owner = value.__self__
    if isinstance(owner, type) and owner.__module__ != "builtins":
        module = sys.modules.get("datetime")
        model, base = _MODELS[value.__name__]
        if module is not None and issubclass(owner, getattr(module, base)):
            return types.MethodType(model, owner)
    return None


#: name in ``time`` -> its model.
REPLACEMENTS: Final[dict[str, Callable[..., Any]]] = {
    "sleep": sleep,
    **{name: _clock(name, start) for name, start in _CLOCKS.items() if name in _real},
    **{f"{name}_ns": _clock_ns(f"{name}_ns", start) for name, start in _CLOCKS.items() if f"{name}_ns" in _real},
    **{name: _calendar(name) for name in ("localtime", "gmtime", "ctime")},
    "clock_gettime": clock_gettime,
    "clock_gettime_ns": clock_gettime_ns,
    "asctime": asctime,
    "strftime": strftime,
}
