"""``threads.h``: the threads and primitives of pthreads, with results of their own.

Source: C17, 7.26; the values are those of glibc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.cancellation import FUNCTIONS as CANCELLATION
from mazurka.program.llvm.library.composites import FUNCTIONS as COMPOSITES
from mazurka.program.llvm.library.primitives import NORMAL, RECURSIVE, Mutex
from mazurka.program.llvm.library.threads import EBUSY, ETIMEDOUT
from mazurka.program.llvm.library.threads import FUNCTIONS as PTHREADS
from mazurka.program.llvm.library.times import sleep_for

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_SUCCESS, _BUSY, _ERROR, _TIMED_OUT = 0, 1, 2, 4
_RESULTS: Final = {0: _SUCCESS, EBUSY: _BUSY, ETIMEDOUT: _TIMED_OUT}

#: The result of ``thrd_sleep`` for a time that is none.
_NO_TIME: Final = -2

#: The bit of the kind of a recursive mutex.
_RECURSIVE: Final = 1


def _like(name: str) -> Callable[..., int]:
    """The function of pthreads of that name, with the results of ``threads.h``."""
    function = PTHREADS.get(name) or CANCELLATION[name]
    return lambda m, site, *given: _RESULTS.get(function(m, site, *given), _ERROR)


def _without_result(name: str) -> Callable[..., None]:
    function = PTHREADS[name]

    def called(m: Machine, site: int, *given: int) -> None:
        function(m, site, *given)

    return called


def _initialise(m: Machine, site: int, address: int, kind: int) -> int:
    kind = RECURSIVE if kind & _RECURSIVE else NORMAL
    m.threads.initialise(address, site, lambda name: Mutex(name, kind))
    return _SUCCESS


def _create(m: Machine, site: int, place: int, function: int, argument: int) -> int:
    m.threads.create(site, place, function, argument)
    return _SUCCESS


def _join(m: Machine, site: int, number: int, place: int) -> int:
    return _RESULTS.get(m.threads.join(site, number, place, size=4), _ERROR)


def _sleep(m: Machine, site: int, wanted: int, _rest: int) -> int:
    return _NO_TIME if sleep_for(m, site, wanted) else 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "thrd_create": _create,
    "thrd_join": _join,
    "thrd_detach": _like("pthread_detach"),
    "thrd_current": PTHREADS["pthread_self"],
    "thrd_equal": PTHREADS["pthread_equal"],
    "thrd_sleep": _sleep,
    "thrd_yield": _without_result("sched_yield"),
    "mtx_init": _initialise,
    "mtx_lock": _like("pthread_mutex_lock"),
    "mtx_trylock": _like("pthread_mutex_trylock"),
    "mtx_timedlock": _like("pthread_mutex_timedlock"),
    "mtx_unlock": _like("pthread_mutex_unlock"),
    "mtx_destroy": _without_result("pthread_mutex_destroy"),
    "cnd_init": lambda m, site, address: PTHREADS["pthread_cond_init"](m, site, address, 0),
    "cnd_wait": _like("pthread_cond_wait"),
    "cnd_timedwait": _like("pthread_cond_timedwait"),
    "cnd_signal": _like("pthread_cond_signal"),
    "cnd_broadcast": _like("pthread_cond_broadcast"),
    "cnd_destroy": _without_result("pthread_cond_destroy"),
    "tss_create": _like("pthread_key_create"),
    "tss_get": PTHREADS["pthread_getspecific"],
    "tss_set": _like("pthread_setspecific"),
    "tss_delete": _without_result("pthread_key_delete"),
    "call_once": COMPOSITES["pthread_once"],
}
