"""The steps that the models of threading's primitives log mean the same to the checker as to the models.

Each program is run at random through the whole front end. Every order must be believed, every value must be the one
last written, and every failure's claim must hold. Where a program can get stuck, some run has to.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mazurka.program.protocol import FailureKind, Plan, Run, TailPolicy
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram
from mazurka.trace.trace import trace_of
from mazurka.witness import DeadlockState, Witness, contradictions, objections
from mazurka.workflows.certifying import witness_of

_RUNS = 25

_HEAD = """
import queue, threading, time

def together(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

def program():
"""

#: name -> body of `program`, and the failure that its runs may end in.
_PROGRAMS: dict[str, tuple[str, FailureKind | None]] = {
    "re-entrant lock": (
        """
    lock, seen = threading.RLock(), []
    def work():
        with lock:
            with lock:
                seen.append(1)
        lock.acquire(timeout=1)
        lock.release()
    together(work, work)
""",
        None,
    ),
    "attempts": (
        """
    lock = threading.Lock()
    def work():
        if lock.acquire(blocking=False):
            lock.release()
        if lock.acquire(timeout=0.1):
            lock.locked()
            lock.release()
    together(work, work, work)
""",
        None,
    ),
    "lock order": (
        """
    a, b = threading.Lock(), threading.Lock()
    def one():
        with a, b: pass
    def other():
        with b, a: pass
    together(one, other)
""",
        FailureKind.DEADLOCK,
    ),
    "lock held from before": (
        """
    lock = threading.Lock()
    lock.acquire()
    def work():
        lock.acquire()
    together(work)
""",
        FailureKind.DEADLOCK,
    ),
    "lock never given back": (
        """
    lock = threading.Lock()
    together(lock.acquire, lock.acquire)
""",
        FailureKind.BLOCKED,
    ),
    "condition": (
        """
    condition, items = threading.Condition(), []
    def take():
        with condition:
            while not items:
                condition.wait()
            items.pop()
    def put():
        with condition:
            items.append(1)
            condition.notify(0)
            condition.notify()
    together(take, take, put, put)
""",
        None,
    ),
    "lost wake-up": (
        """
    condition = threading.Condition()
    def wait():
        with condition:
            condition.wait()
    def wake():
        with condition:
            condition.notify_all()
    together(wait, wake)
""",
        FailureKind.BLOCKED,
    ),
    "waits that run out": (
        """
    condition = threading.Condition()
    def wait():
        with condition:
            condition.wait(1)
            condition.wait(0)
            condition.wait_for(lambda: False, 2)
    def wake():
        with condition:
            condition.notify()
    together(wait, wait, wake)
""",
        None,
    ),
    "condition over a lock of one's own": (
        """
    class Own:
        def __init__(self): self.lock = threading.Lock(); self.taken = 0
        def acquire(self, *args):
            self.lock.acquire(); self.taken += 1
        def release(self):
            self.taken -= 1; self.lock.release()
        def locked(self): return self.lock.locked()
        def __enter__(self): self.acquire()
        def __exit__(self, *error): self.release()
        def _is_owned(self): return True
    condition, done = threading.Condition(Own()), []
    def wait():
        with condition:
            if not done:
                condition.wait()
    def wake():
        with condition:
            done.append(1)
            condition.notify()
    together(wait, wake)
""",
        None,
    ),
    "waits for a lock after its time ran out": (
        """
    condition, other = threading.Condition(), threading.Lock()
    def wait():
        with other:
            with condition:
                condition.wait(1)
    def hold():
        time.sleep(0.5)
        with condition:
            time.sleep(2)
            with other: pass
    together(wait, hold)
""",
        FailureKind.DEADLOCK,
    ),
    "semaphore": (
        """
    slots = threading.BoundedSemaphore(2)
    def work():
        with slots: pass
        if slots.acquire(blocking=False):
            slots.release()
        if slots.acquire(timeout=1):
            slots.release()
    together(work, work, work)
""",
        None,
    ),
    "semaphore of none": (
        """
    slots = threading.Semaphore(1)
    def work():
        slots.acquire()
    together(work, work, lambda: slots.acquire(blocking=False))
""",
        FailureKind.BLOCKED,
    ),
    "event": (
        """
    ready = threading.Event()
    def wait():
        ready.is_set()
        ready.wait(1)
        ready.wait()
    together(wait, wait, ready.set)
""",
        None,
    ),
    "event cleared": (
        """
    ready = threading.Event()
    def wait():
        ready.wait(0.5)
        ready.wait()
    def change():
        ready.set()
        ready.clear()
    together(wait, change)
""",
        FailureKind.BLOCKED,
    ),
    "barrier": (
        """
    barrier = threading.Barrier(2)
    def work():
        barrier.n_waiting
        barrier.wait()
        try:
            barrier.wait(1)
        except threading.BrokenBarrierError: pass
    together(work, work)
""",
        None,
    ),
    "barrier short of one": (
        """
    barrier = threading.Barrier(3)
    together(barrier.wait, barrier.wait)
""",
        FailureKind.BLOCKED,
    ),
    "queues": (
        """
    simple, full = queue.SimpleQueue(), queue.Queue(1)
    def put():
        simple.put(1)
        full.put(1)
        full.put(2)
        simple.qsize()
    def get():
        simple.get()
        full.get()
        full.get()
        full.task_done()
        try:
            simple.get(timeout=1)
        except queue.Empty: pass
        try:
            simple.get_nowait()
        except queue.Empty: pass
    together(put, get)
""",
        None,
    ),
    "queue of none": (
        """
    simple = queue.SimpleQueue()
    simple.put(1)
    together(simple.get, simple.get)
""",
        FailureKind.BLOCKED,
    ),
    "threads": (
        """
    child = threading.Thread(target=time.sleep, args=(1,))
    def work():
        child.start()
        child.is_alive()
        child.join(0)
        child.join(0.5)
        child.join()
        threading.enumerate()
    timer = threading.Timer(3, print)
    timer.start()
    together(work)
    timer.cancel()
""",
        None,
    ),
    "a thread joins whoever joins it": (
        """
    main = threading.current_thread()
    threading.Thread(target=main.join).start()
    for each in threading.enumerate():
        if each is not main:
            each.join()
""",
        FailureKind.DEADLOCK,
    ),
    "loop that changes nothing": (
        """
    flags = [0, 0]
    def wait():
        flags[1] = 1
        while not flags[0]:
            pass
    together(wait, lambda: flags[1])
""",
        FailureKind.LIVELOCK,
    ),
    "exception": (
        """
    items = [1]
    together(items.pop, items.pop)
""",
        FailureKind.EXCEPTION,
    ),
    "assertion with a finaliser": (
        """
    class Held:
        def __del__(self): seen.append(1)
    seen = []
    def work():
        held = Held()
        assert seen
    together(work, work)
""",
        FailureKind.ASSERTION,
    ),
}


def _runs(body: str, folder: Path) -> list[Run]:
    path = folder / "modelled.py"
    path.write_text(_HEAD + body)
    program = PythonProgram(
        Function(str(path), "program"), ProgramSettings(roots=(str(folder),), isolation=Isolation.RESTORE)
    )
    try:
        return [program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed, detail=True)) for seed in range(_RUNS)]
    finally:
        program.close()
        sys.modules.pop("modelled", None)


@pytest.mark.sampled
@pytest.mark.parametrize("name", _PROGRAMS)
def test_steps_mean_what_the_models_do(name: str, tmp_path: Path) -> None:
    body, expected = _PROGRAMS[name]
    kinds = set()
    for run in _runs(body, tmp_path):
        assert not run.truncated
        whole = Witness(tuple(range(len(run.log))))
        assert objections(trace_of(run.tasks, run.log), whole) == []
        for failure in run.failures:
            trace, witness = witness_of(run, failure)
            assert objections(trace, witness) == [], failure.message
            assert contradictions(trace, witness) == [], failure.message
            kinds.add(failure.kind)
            _is_refused_elsewhere(run, witness)
    assert kinds == ({expected} if expected is not None else set())


def _is_refused_elsewhere(run: Run, witness: Witness) -> None:
    """A claim that threads are stuck is no longer true where one of them has its last steps still to take."""
    if not isinstance(witness.claim, DeadlockState):
        return
    trace = trace_of(run.tasks, run.log)
    for waiting in witness.claim.waiting:
        own = [index for index, step in enumerate(run.log) if run.tasks[step.task] == waiting.thread]
        others = {each.thread for each in witness.claim.waiting if each is not waiting}
        missing = replace(witness, claim=DeadlockState(tuple(w for w in witness.claim.waiting if w.thread in others)))
        assert objections(trace, missing) != []
        if own and own[-1] == len(run.log) - 1:
            assert objections(trace, replace(witness, order=witness.order[:-1])) != []
