"""Other sources of differences between two runs of one schedule, held fixed: randomness, answers from outside.

Random numbers, `os.urandom` and with it `uuid` and `secrets` come from streams that start again with each run. Each
thread draws from a stream of its own, so that its random numbers do not depend on the other threads. Time is virtual
(see the models of `time`). String hashing is fixed by the environment a check is started in
(:mod:`.hashing`). Other differences (object addresses) are found by comparing two runs of the same plan.
"""

from __future__ import annotations

import _random
import functools
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any, Final
from zlib import crc32

from mazurka.program import forked
from mazurka.program.python import activation
from mazurka.program.python.isolation.seeding import SeededGenerator

_SEED: Final = 20_240_229

# The real seeding of a generator, whichever function stands in for `Random.seed`.
_seed: Final[Callable[[random.Random, int], None]] = _random.Random.seed
_shared: Final[random.Random] = random.__dict__["_inst"]  # the functions of `random` are its methods
_shared_seeded: Final = functools.cache(lambda: SeededGenerator(_shared, _SEED))

#: The times that `uuid` has used, and the hardware address that it gets.
_LAST_TIMES: Final = ("_last_timestamp", "_last_timestamp_v7", "_last_counter_v7")
_NODE: Final = 0x02_00_00_00_00_01

#: The random generator of each purpose and thread in this run (no thread: outside).
_streams: Final[dict[str, random.Random]] = {}
_undo: list[Callable[[], None]] = []


def own_stream(purpose: str = "") -> random.Random:
    """The running thread's stream of random numbers for a purpose, to draw from. A loop that draws makes progress."""
    running = activation.active
    name = purpose
    if running is not None and running.current is not None:
        name += running.current.name
        running.current.silent += 1
    stream = _streams.get(name)
    if stream is None:
        stream = _streams[name] = random.Random.__new__(random.Random)
        vars(stream)["gauss_next"] = None
        _seed(stream, _SEED << 32 | crc32(name.encode()))
    return stream


def _urandom(size: int) -> bytes:
    return own_stream().randbytes(size)


def _seed_unseeded(seed: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(seed)
    def wrapper(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed(self, own_stream().getrandbits(64) if a is None else a, version)

    return wrapper


#: The code of the replacement of `random.Random.seed`.
SEEDING: Final = next(each for each in _seed_unseeded.__code__.co_consts if isinstance(each, types.CodeType))


def _replace(owner: Any, name: str, value: Any) -> None:
    if hasattr(owner, name):
        old = getattr(owner, name)
        if isinstance(old, types.BuiltinFunctionType) and callable(value):
            value = staticmethod(value)  # no method where a class holds it
        setattr(owner, name, value)
        _undo.append(lambda: setattr(owner, name, old))


def install() -> None:
    """Fix the sources of randomness until :func:`uninstall`."""
    if _undo:
        return
    pid, parent = os.getpid(), os.getppid()
    _replace(os, "urandom", _urandom)
    _replace(random, "_urandom", _urandom)
    _replace(random.Random, "seed", _seed_unseeded(random.Random.seed))
    _replace(os, "register_at_fork", forked.register_at_fork)
    _replace(os, "getpid", lambda: pid)
    _replace(os, "getppid", lambda: parent)


def uninstall() -> None:
    """Put the real functions back."""
    if (names := sys.modules.get("tempfile")) is not None and type(vars(names)["_name_sequence"]) is _FileNames:
        vars(names)["_name_sequence"] = None  # `tempfile` makes one of its own again
    while _undo:
        _undo.pop()()


class _FileNames:
    """The names of temporary files: the same in each run, and not those of another check beside this one."""

    def __init__(self, tempfile: Any) -> None:
        self._tempfile = tempfile
        self._sequence: Any = None  # made when it is asked for: most programs make no such file

    def __iter__(self) -> _FileNames:
        return self

    @property
    def used(self) -> bool:
        """Whether a name has been taken from it."""
        return self._sequence is not None

    def __next__(self) -> str:
        if self._sequence is None:
            self._sequence = self._tempfile._RandomNameSequence()
            self._sequence._rng = random.Random(_SEED)
            self._sequence._rng_pid = os.getpid()  # that of the check, in its children, too
            _seed(self._sequence._rng, _SEED * self._sequence._rng_pid)
        return str(next(self._sequence))


def restart() -> None:
    """Start every stream again: the beginning of a run."""
    _streams.clear()
    _shared_seeded().restart()
    vars(_shared)["gauss_next"] = None
    if (names := sys.modules.get("tempfile")) is not None:
        space = vars(names)
        if type(known := space["_name_sequence"]) is not _FileNames or known.used:
            space["_name_sequence"] = _FileNames(names)
    if (metadata := sys.modules.get("importlib.metadata")) is not None:
        vars(metadata)["FastPath"].__new__.cache_clear()  # which folders it has read
    if (uuid := sys.modules.get("uuid")) is not None:
        space = vars(uuid)
        for name in _LAST_TIMES:
            if space.get(name) is not None:
                space[name] = None
        if space.get("_generate_time_safe") is not None:
            _replace(uuid, "_generate_time_safe", None)
            _replace(uuid, "_node", _NODE)
