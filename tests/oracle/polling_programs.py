"""Draws small scripts whose threads poll variables in loops that change nothing, while others write them back and
forth."""

from __future__ import annotations

import random

_HEAD = """\
import threading
class State: x = y = 0
lock = threading.Lock()
"""

_LOOPS = (
    "while not State.x: pass",
    "while State.x != 1: pass",
    "while State.y != 2: pass",
    "while not (State.x or State.y): pass",
    "while State.x == State.y: pass",
    "while True:\n        with lock:\n            if State.x: break",
)
_WRITES = (*("State.x = 0", "State.x = 1") * 3, "State.x = 2", "State.y = 0", "State.y = 2", "State.y = State.x")


def polling_program(seed: int) -> str:
    """Two or three threads, at least one of which polls, and main, which waits for all of them at its end."""
    rng = random.Random(seed)
    bodies = [[rng.choice(_LOOPS)], *[_body(rng) for _ in range(rng.choice((1, 2, 2)))]]
    if rng.random() < 0.3:
        bodies[0].append(rng.choice(_WRITES))
    threads = "".join(f"def t{number}():\n    " + "\n    ".join(body) + "\n" for number, body in enumerate(bodies))
    starts = "".join(f"threading.Thread(target=t{number}).start()\n" for number in range(len(bodies)))
    return f"{_HEAD}{threads}{starts}"


def _body(rng: random.Random) -> list[str]:
    return [rng.choice(_LOOPS if rng.random() < 0.15 else _WRITES) for _ in range(rng.choice((1, 1, 1, 2)))]
