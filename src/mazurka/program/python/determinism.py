"""What else could differ between two runs of one schedule, held fixed: randomness, the outside world's answers.

Random numbers, `os.urandom` and with it `uuid` and `secrets` come from a stream that starts anew with each run.
Time is virtual (see the models of `time`). String hashing is fixed by the environment a check is started in
(:func:`pinned_environment`). What stays open (object addresses, `datetime.now`) is found out by comparing two runs
of the same plan.
"""

from __future__ import annotations

import _random
import os
import random
import sys
from collections.abc import Callable
from typing import Any, Final

_SEED: Final = 20_240_229

#: The hash seed of every check, so that sets of strings have the same order in each.
HASH_SEED: Final = "0"

# What seeds a generator, whatever stands in for `Random.seed`.
_seed: Final[Callable[[random.Random, int], None]] = _random.Random.seed
_shared: Final[random.Random] = random.__dict__["_inst"]  # whose methods the functions of `random` are

_stream: Final = random.Random(_SEED)
_drawn = False  # whether anything was drawn from the stream in this run
_undo: list[Callable[[], None]] = []


def pinned_environment() -> dict[str, str] | None:
    """The environment to start Python in again for fixed hashing; None if this one is already right."""
    if os.environ.get("PYTHONHASHSEED", "random") != "random":
        return None
    return {**os.environ, "PYTHONHASHSEED": HASH_SEED}


def _draw() -> random.Random:
    """The stream, to draw from."""
    global _drawn
    _drawn = True
    return _stream


def _urandom(size: int) -> bytes:
    return _draw().randbytes(size)


def _seed_unseeded(seed: Callable[..., None]) -> Callable[..., None]:
    def wrapper(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed(self, _draw().getrandbits(64) if a is None else a, version)

    return wrapper


def _replace(owner: Any, name: str, value: object) -> None:
    if hasattr(owner, name):
        old = getattr(owner, name)
        setattr(owner, name, value)
        _undo.append(lambda: setattr(owner, name, old))


def install() -> None:
    """Fix the sources of randomness until :func:`uninstall`."""
    if _undo:
        return
    pid = os.getpid()
    _replace(os, "urandom", _urandom)
    _replace(random, "_urandom", _urandom)
    _replace(random.Random, "seed", _seed_unseeded(random.Random.seed))
    _replace(os, "getpid", lambda: pid)


def uninstall() -> None:
    while _undo:
        _undo.pop()()


def restart() -> None:
    """Start every stream anew: the beginning of a run."""
    global _drawn
    if _drawn:
        _seed(_stream, _SEED)
        _drawn = False
    _seed(_shared, _SEED)  # that nothing was drawn from it can't be told for less
    vars(_shared)["gauss_next"] = None
    if (names := sys.modules.get("tempfile")) is not None:
        vars(names)["_name_sequence"] = None  # temporary files have the same names in each run
