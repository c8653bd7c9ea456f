"""Drawn programs of tasks: what they do over awaits shows the order of what comes from outside.

Each program is a script that runs by itself: tasks that sleep, use locks, events, queues and futures of a loop, work in
threads, cancel each other, wait with limits. At its end it prints what has happened, in order.
"""

from __future__ import annotations

import random
from typing import Final

#: Delays, in seconds, all short enough for pauses of a tenth of a second to turn their order.
_DELAYS: Final = (0, 0.001, 0.002, 0.003, 0.005)

_HEAD: Final = """\
import asyncio
seen = []
async def main():
    lock, event, queue = asyncio.Lock(), asyncio.Event(), asyncio.Queue({size})
    semaphore, condition = asyncio.Semaphore(1), asyncio.Condition()
    loop = asyncio.get_running_loop()
    shared = [0]
    tasks = []
"""

_TAIL: Final = """
    tasks.extend(asyncio.ensure_future(each()) for each in ({names}))
    done = await asyncio.gather(*tasks, return_exceptions=True)
    print(*seen, shared[0], *[type(each).__name__ for each in done if each is not None])
asyncio.run(main())
"""


def program(seed: int) -> str:
    """The source of the program with this number."""
    draw = random.Random(seed)
    count = draw.choice((2, 2, 2, 3))
    parts = [_HEAD.format(size=draw.choice((0, 1)))]
    names = [f"task{number}" for number in range(count)]
    for number, name in enumerate(names):
        lines = [f"async def {name}():"]
        for step in range(draw.choice((1, 2, 2, 3))):
            lines += ["    " + line for line in _statement(draw, f"{number}{'abc'[step]}", number, count)]
        parts.append("".join(f"    {line}\n" for line in lines))
    parts.append(_TAIL.format(names="".join(f"{name}, " for name in names)))
    return "".join(parts)


def _statement(draw: random.Random, name: str, number: int, count: int) -> list[str]:
    """Lines of one statement; ``name`` tells it apart."""
    delay, limit = draw.choice(_DELAYS), draw.choice(_DELAYS[1:])
    note = f"seen.append({name!r})"
    other = draw.choice([each for each in range(count) if each != number])
    choices: list[tuple[int, list[str]]] = [
        (4, [f"await asyncio.sleep({delay})", note]),
        (2, [f"value = shared[0]; await asyncio.sleep({delay}); shared[0] = value + 1"]),
        (2, ["async with lock:", f"    await asyncio.sleep({delay}); {note}"]),
        (1, ["async with semaphore:", f"    {note}"]),
        (2, [f"loop.call_later({delay}, seen.append, {name!r})"]),
        (1, [f"loop.call_soon(seen.append, {name!r})"]),
        (
            2,
            [
                "try:",
                f"    await asyncio.wait_for(event.wait(), {limit}); {note}",
                "except asyncio.TimeoutError:",
                f"    seen.append({'late ' + name!r})",
            ],
        ),
        (2, [f"loop.call_later({delay}, event.set)"]),
        (1, ["event.set()"]),
        (2, [f"queue.put_nowait({name!r}) if not queue.full() else None"]),
        (
            2,
            [
                "try:",
                f"    async with asyncio.timeout({limit}):",
                "        seen.append(await queue.get())",
                "except TimeoutError:",
                f"    seen.append({'late ' + name!r})",
            ],
        ),
        (1, [f"tasks[{other}].cancel()" if number > other else note]),
        (1, ["async with condition:", f"    condition.notify(); {note}"]),
        (1, [f"await asyncio.to_thread(seen.append, {name!r})"]),
        (1, [f"await asyncio.wait_for(asyncio.sleep({delay}), {limit})", note]),
        (1, [f"await asyncio.shield(asyncio.sleep({delay})); {note}"]),
    ]
    (chosen,) = draw.choices([lines for _, lines in choices], [weight for weight, _ in choices])
    return chosen
