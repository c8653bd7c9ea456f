"""Putting the models in place: captured references, primitives made before, and calls that stay uncontrolled."""

from __future__ import annotations

import _thread
import collections
import concurrent.futures
import multiprocessing
import os
import pickle
import queue
import sys
import threading
import time
import types
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.primitive_runs import failures, installed, outcomes, run

from mazurka.program.protocol import Plan
from mazurka.program.python import activation, primitives
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.primitives.locks import Lock, RLock
from mazurka.program.python.program import PythonProgram
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned
from mazurka.program.settings import ProgramSettings

SOURCE = """
import threading, queue, time, functools
from threading import Lock, RLock, Thread, Condition, Event, current_thread, local
from _thread import allocate_lock
from time import sleep, monotonic as clock
from queue import SimpleQueue

lock_a = Lock()
lock_b = threading.RLock()
condition = Condition(lock_a)
jobs = queue.Queue()
simple = SimpleQueue()
held = local()
held.x = 1
table = {"inner": Lock(), "list": [RLock()]}

class Service:
    guard = Lock()
    wait = staticmethod(sleep)
    nap = time.sleep
    clock = clock

    def __init__(self):
        self.lock = Lock()
        self.ready = Condition()

    @functools.cached_property
    def slow(self):
        return 1

service = Service()

class Odd:
    __slots__ = ("empty", "lock")

    def __init__(self):
        self.lock = Lock()

    def __getattr__(self, name):
        raise LookupError(name)

odd = Odd()

def default(lock=Lock(), *, pause=sleep):
    return lock

def closure():
    lock = Lock()
    def use():
        with lock:
            return type(lock)
    return use

use = closure()

class Worker(Thread):
    def run(self):
        with lock_a:
            pass

def deadlock():
    def one():
        with lock_a, lock_b:
            pass
    def two():
        with lock_b, lock_a:
            pass
    for body in (one, two):
        Thread(target=body).start()
"""


@pytest.fixture
def captured() -> Iterator[Any]:
    """A module that took hold of the real primitives before anything was installed."""
    module: Any = types.ModuleType("captured")
    exec(compile(SOURCE, "captured.py", "exec"), module.__dict__)
    sys.modules["captured"] = module
    yield module
    del sys.modules["captured"]


def test_captured_references_are_modelled(captured: Any) -> None:
    with installed():
        undo = primitives.adopt(captured)
        found = failures(captured.deadlock)
        assert [failure.kind.value for failure in found.values()] == ["deadlock"]
        assert "Lock `lock_a`" in next(iter(found.values())).message

        def main() -> bool:
            worker = captured.Worker()
            worker.start()
            worker.join()
            before = captured.clock()
            captured.sleep(1000)
            captured.service.wait(1000)
            captured.service.nap(1000)
            assert captured.service.clock() - before >= 3000
            return captured.current_thread() is threading.main_thread()

        started = time.perf_counter()
        assert outcomes(main) == {True}
        assert time.perf_counter() - started < 30
        undo()


def test_what_is_adopted(captured: Any) -> None:
    real = captured.lock_a, captured.service.lock, captured.Service.guard, captured.table["list"][0]
    with installed():
        undo = primitives.adopt(captured)
        models = (
            captured.lock_a,
            captured.service.lock,
            captured.odd.lock,
            captured.Service.guard,
            captured.table["inner"],
            captured.jobs.mutex,
            captured.condition._lock,
            captured.default(),
        )
        assert {type(model) for model in models} == {Lock}
        assert type(captured.lock_b) is type(captured.table["list"][0]) is type(captured.service.ready._lock) is RLock
        assert captured.condition._lock is captured.lock_a
        assert captured.jobs.not_empty._lock is captured.jobs.mutex
        assert captured.use() is Lock
        assert captured.held.x == 1
        undo()
    assert real == (captured.lock_a, captured.service.lock, captured.Service.guard, captured.table["list"][0])
    assert type(captured.jobs.not_empty._lock) is type(captured.condition._lock) is type(real[0])
    captured.jobs.put(1)
    with captured.condition:
        captured.condition.notify()
    assert captured.use() is type(real[0])


def test_adopted_queues_start_every_run_with_what_was_in_them(captured: Any) -> None:
    captured.jobs.put("first")
    captured.simple.put("one")
    with installed():
        primitives.adopt(captured)

        def main() -> tuple[Any, ...]:
            captured.jobs.put("second")
            return captured.jobs.get(), captured.jobs.qsize(), captured.simple.get(), captured.simple.empty()

        assert [run(main).check() for _ in range(3)] == [("first", 1, "one", True)] * 3
    assert captured.jobs.get_nowait() == "first"


def test_a_lock_held_when_a_run_begins_is_held_in_it(captured: Any) -> None:
    captured.lock_a.acquire()
    with installed():
        primitives.adopt(captured)
        assert run(lambda: (captured.lock_a.locked(), captured.lock_a.release())).check()[0]
        assert captured.lock_a.locked()
        captured.lock_a.release()


def test_everything_comes_back() -> None:
    modules = threading, _thread, time, queue, os, concurrent.futures.thread
    classes = threading.Thread, threading.Condition, threading.Event, threading.Semaphore, threading.Barrier
    before = [dict(vars(thing)) for thing in (*modules, *classes)]
    with installed():
        primitives.install()
        assert threading.Lock is not before[0]["Lock"]
        assert run(lambda: time.sleep(1)).check() is None
    after = [dict(vars(thing)) for thing in (*modules, *classes)]
    assert after == before


def test_the_test_runner_and_mazurka_keep_the_real_clock() -> None:
    from _pytest import timing

    from mazurka.program.runtime import runtime

    with installed():
        assert "mazurka" not in timing.perf_counter.__module__
        assert runtime.perf_counter.__module__ == "time"


def test_imports_take_real_locks() -> None:
    def main() -> int:
        def load() -> None:
            sys.modules.pop("colorsys", None)
            __import__("colorsys")

        threads = [threading.Thread(target=load) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(collections.Counter())

    with installed():
        outcome = run(main)
        outcome.check()
        assert not [step for step in outcome.runtime.log if step[2][0] == "lock"]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # other tests' libraries
def test_what_is_not_controlled_is_counted() -> None:
    def main() -> None:
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)

    with installed():
        outcome = run(main)
        outcome.check()
    assert outcome.runtime.uncontrolled == {"os.fork": 1}


def test_multiprocessing_locks_exclude_threads() -> None:
    outside = multiprocessing.get_context("fork").RLock()

    def main() -> int:
        inside, value = multiprocessing.get_context("fork").Lock(), [0]

        def body() -> None:
            with outside, inside:
                seen = value[0]
                time.sleep(0)
                value[0] = seen + 1

        threads = [threading.Thread(target=body) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with pytest.raises(ValueError, match="semaphore or lock released too many times"):
            inside.release()
        return value[0]

    holder: Any = types.ModuleType("holder")
    holder.lock = outside
    with installed():
        undo = primitives.adopt(holder)
        assert outcomes(main) == {2}
        undo()
    with outside:
        pass


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_multiprocessing_lock_of_a_run_is_sent_to_no_process(method: str) -> None:
    failed: list[str] = []

    def main() -> None:
        lock = multiprocessing.get_context(method).Lock()
        multiprocessing.context.set_spawning_popen(object())  # as while the arguments of a process are being pickled
        try:
            pickle.dumps(lock)
        except RuntimeError as error:
            failed.append(str(error))
        finally:
            multiprocessing.context.set_spawning_popen(None)

    with installed():
        outcome = run(main)
    expected = method == "fork"
    assert [text.startswith("A SemLock created in a fork context") for text in failed] == [True] * expected
    assert outcome.runtime.truncated.startswith("" if expected else "the run was cut where a lock is sent to a process")
    assert bool(outcome.runtime.truncated) is not expected


def test_the_use_of_a_model_does_not_start_the_models_of_a_run() -> None:
    """They change `threading`: if nothing ended them, the interpreter would wait at its exit for its own main
    thread."""
    ident = threading.main_thread().ident
    running = Runtime(Plan(), Learned())
    with installed():
        activation.activate(running)
        try:
            running.run(lambda: threading.Lock().acquire())
        finally:
            activation.activate(None)
        assert threading.main_thread().ident == ident


def test_an_interrupt_at_the_start_of_a_run_leaves_threading_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ident = tmp_path / "program.py", threading.main_thread().ident
    path.write_text("import threading\n")
    program = PythonProgram(Script(str(path), [], instrument_source), ProgramSettings(roots=(str(tmp_path),)))
    with closing(program):
        program.prepare()
        activate = activation.activate

        def interrupted(runtime: Runtime | None) -> None:
            activate(runtime)
            if runtime is not None:
                raise KeyboardInterrupt

        monkeypatch.setattr(activation, "activate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            program.execute_here(Plan())
        assert threading.main_thread().ident == ident
