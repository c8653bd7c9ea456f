"""Timeouts that fire when no thread can move: `dpor` with ordered timeouts meets all that every order leads to."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome, Verified, Violation
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Plan, Run
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.program import PythonProgram
from mazurka.program.settings import ProgramSettings
from mazurka.workflows.timing import none_fires_early

_HEAD = """
import queue, threading
locks, events = [threading.Lock(), threading.Lock()], [threading.Event(), threading.Event()]
items, condition, cells = queue.Queue(), threading.Condition(), [0, 0]
"""

#: Statements of threads; braces are filled in with numbers and limits of waits.
_STATEMENTS = (
    "out.append(events[{i}].wait({limit}))",
    "events[{i}].set()",
    "cells[{i}] += 1",
    "out.append(cells[{i}])",
    "try: out.append(items.get(timeout={limit}))\n    except queue.Empty: out.append('none')",
    "items.put({i})",
    "if locks[{i}].acquire(timeout={limit}): out.append(events[{j}].wait({limit})); locks[{i}].release()",
    "with locks[{i}]: out.append(cells[{j}]); cells[{j}] += 1",
    "with condition: out.append(condition.wait({limit}))",
    "with condition: condition.notify()",
)


def drawn(number: int) -> str:
    """A program of two threads with waits that have limits."""
    draw = random.Random(number)
    lines = [_HEAD]
    for thread in range(2):
        lines.append(f"def work{thread}(out):")
        for _ in range(3):
            limit = draw.choice((1, 2.5, 4))
            statement = draw.choice(_STATEMENTS).format(i=draw.randrange(2), j=draw.randrange(2), limit=limit)
            lines.append(f"    {statement}")
    lines += [
        "outs = [[], []]",
        "threads = [threading.Thread(target=each, args=(out,)) for each, out in zip((work0, work1), outs)]",
        "for each in threads: each.start()",
        "for each in threads: each.join()",
        "print(outs, cells, items.qsize())",
    ]
    return "\n".join(lines)


class _Observed(PythonProgram):
    """Keeps the outcome of each run."""

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        if run.divergence is None and not run.found_new_points:
            self.ends.add((run.output, tuple(sorted(failure.kind.value for failure in run.failures))))
        return run

    ends: set[tuple[str, tuple[str, ...]]]


def ends_of(
    path: Path, strategy: str, settings: StrategySettings, timing: float | None = None
) -> tuple[set[tuple[str, tuple[str, ...]]], Outcome]:
    program = _Observed(Script(str(path), (), instrument_source), ProgramSettings((str(path.parent),)))
    program.ends, program.timing = set(), timing
    program.prepare()
    program.ends.clear()  # of trial runs
    try:
        explorer = Explorer(program, strategy, settings=settings, budget=Budget(800), stop_at_first=False)
        for _ in explorer.progress():
            pass
    finally:
        program.close()
    assert explorer.outcome is not None
    return program.ends, explorer.outcome


@pytest.mark.sampled
@pytest.mark.parametrize("number", range(8))
def test_all_ends_are_met(tmp_path: Path, number: int) -> None:
    path = tmp_path / "subject.py"
    path.write_text(drawn(number))
    ordered, outcome = ends_of(path, "dpor", StrategySettings(ordered=True))
    everything, all_orders = ends_of(path, "dfs", StrategySettings())
    assert isinstance(outcome.verdict, (Verified, Violation))
    assert outcome.complete
    assert ordered == everything if all_orders.complete else ordered >= everything
    if none_fires_early(outcome.waits, 0.1):
        early, _ = ends_of(path, "icb", StrategySettings(timed=True), 0.1)
        assert early <= ordered


#: Two threads, each of which waits for what the other does after its own wait; both waits are due at the same time.
_DUE_TOGETHER = {
    "events": ("threading.Event(), threading.Event()", "each.wait(1)", "other.set()"),
    "locks": ("threading.Lock(), threading.Lock()", "each.acquire(timeout=1)", "other.release()"),
    "semaphores": ("threading.Semaphore(0), threading.Semaphore(0)", "each.acquire(timeout=1)", "other.release()"),
    "conditions": ("threading.Condition(), threading.Condition()", "waited(each)", "notified(other)"),
    "queues": ("queue.Queue(), queue.Queue()", "taken(each)", "other.put(1)"),
    "a sleep": ("threading.Event(), threading.Event()", "slept(each) if each is one else each.wait(1)", "other.set()"),
}

_TOGETHER = """
import queue, threading, time
one, two = {pair}
def waited(condition):
    with condition: return condition.wait(1)
def notified(condition):
    with condition: condition.notify()
def taken(queue_):
    try: return bool(queue_.get(timeout=1))
    except queue.Empty: return False
def slept(event):
    time.sleep(1)
    return event.is_set()
if type(one) is type(threading.Lock()): one.acquire(), two.acquire()
seen = {{}}
def work(each, other):
    seen[each] = {wait}
    {go_on}
threads = [threading.Thread(target=work, args=pair) for pair in ((one, two), (two, one))]
for each in threads: each.start()
for each in threads: each.join()
print(seen[one], seen[two])
"""


@pytest.mark.sampled
@pytest.mark.parametrize("kind", _DUE_TOGETHER)
def test_waits_that_are_due_together(tmp_path: Path, kind: str) -> None:
    """Either may be the first, and go on before the other runs out, or after."""
    pair, wait, go_on = _DUE_TOGETHER[kind]
    path = tmp_path / "subject.py"
    path.write_text(_TOGETHER.format(pair=pair, wait=wait, go_on=go_on))
    everything, outcome = ends_of(path, "dfs", StrategySettings())
    assert outcome.complete
    assert {output for output, _ in everything} == {"False False\n", "True False\n", "False True\n"}
    in_time, _ = ends_of(path, "icb", StrategySettings(timed=True), 0.1)
    assert in_time == everything


#: A daemon, whose wait of a second is due when the program ends, and what the rest of the program does until then.
_AT_THE_END = {
    "another wait": "threading.Thread(target=event.wait, args=(1,)).start()",
    "a sleep of main": "time.sleep(1)",
    "a wait of main": "event.wait(1)",
}


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr", "unfolding", "icb"])
@pytest.mark.parametrize("meanwhile", _AT_THE_END)
def test_a_wait_of_a_daemon_that_is_due_at_the_end(tmp_path: Path, meanwhile: str, strategy: str) -> None:
    """It may run out before the end; one that is due later may not."""
    path = tmp_path / "subject.py"
    for seconds, found in ((1, True), (2, False)):
        path.write_text(
            "import threading, time\nevent = threading.Event()\n"
            f"def work():\n    assert event.wait({seconds})\n"
            f"threading.Thread(target=work, daemon=True).start()\n{_AT_THE_END[meanwhile]}\n"
        )
        _, outcome = ends_of(path, strategy, StrategySettings())
        assert isinstance(outcome.verdict, Violation) is found, outcome.verdict
