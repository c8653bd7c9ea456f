"""Model of ``time``: the virtual clock of a run.

Every thread has a clock of its own, which only moves when it looks or sleeps, and which never shows less than
that of the threads whose effects it has seen (:mod:`~mazurka.program.python.kernel`). ``time.time`` starts at a
fixed date, ``monotonic`` and ``perf_counter`` at fixed values.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.primitives.run import here

#: What ``time.time()`` and ``time.monotonic()`` show at the start of a run, in seconds: 14 November 2023, 22:13:20 UTC.
EPOCH: Final = 1_700_000_000.0
BOOT: Final = 10_000.0

_BILLION: Final = 1_000_000_000

#: Longer sleeps overflow in CPython.
_LONGEST: Final = 9_223_372_036.0

_CLOCKS: Final = {"time": EPOCH, "monotonic": BOOT, "perf_counter": BOOT, "process_time": 0.0, "thread_time": 0.0}

_real: Final[dict[str, Any]] = dict(vars(time))


def sleep(seconds: Any, /) -> None:
    models = here()
    if models is None:
        _real["sleep"](seconds)
        return
    if not isinstance(seconds, (int, float)):
        seconds = operator.index(seconds)
    if math.isnan(seconds) or seconds > _LONGEST:
        _real["sleep"](seconds)  # which raises what it has to say
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    models.kernel.sleep(float(seconds))


def _clock(name: str, start: float) -> Callable[[], float]:
    real = _real[name]

    def read() -> float:
        models = here()
        return float(real()) if models is None else start + models.kernel.now()

    read.__name__ = read.__qualname__ = name
    return read


def _clock_ns(name: str, start: float) -> Callable[[], int]:
    real = _real[name]

    def read() -> int:
        models = here()
        return int(real()) if models is None else int(start) * _BILLION + int(models.kernel.now() * _BILLION)

    read.__name__ = read.__qualname__ = name
    return read


def clock_gettime(clk_id: int, /) -> float:
    models = here()
    if models is None:
        return float(_real["clock_gettime"](clk_id))
    return (EPOCH if clk_id == time.CLOCK_REALTIME else BOOT) + models.kernel.now()


def clock_gettime_ns(clk_id: int, /) -> int:
    models = here()
    if models is None:
        return int(_real["clock_gettime_ns"](clk_id))
    start = int(EPOCH if clk_id == time.CLOCK_REALTIME else BOOT)
    return start * _BILLION + int(models.kernel.now() * _BILLION)


def _calendar(name: str) -> Callable[..., Any]:
    """``localtime`` and its kin: without an argument they look at the clock."""
    real = _real[name]

    def convert(seconds: Any = None, /) -> Any:
        models = here()
        if seconds is None and models is not None:
            seconds = EPOCH + models.kernel.now()
        return real(seconds)

    convert.__name__ = convert.__qualname__ = name
    return convert


def asctime(*when: Any) -> str:
    models = here()
    if not when and models is not None:
        when = (_real["localtime"](EPOCH + models.kernel.now()),)
    return str(_real["asctime"](*when))


def strftime(pattern: str, *when: Any) -> str:
    models = here()
    if not when and models is not None:
        when = (_real["localtime"](EPOCH + models.kernel.now()),)
    return str(_real["strftime"](pattern, *when))


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
