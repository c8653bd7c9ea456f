"""The checks of :mod:`mazurka.trace.malformed`, compiled: imported only for traces that are worth it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mazurka.trace import malformed

_njit: Any = numba.njit
_compile: Any = _njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True)  # makes no arrays

check_locks: Callable[..., None] = _compile(malformed.check_locks)
check_threads: Callable[..., None] = _compile(malformed.check_threads)
