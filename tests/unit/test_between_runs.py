"""A program must not notice the state that is kept from run to run to make runs cheap."""

from __future__ import annotations

import gc
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from mazurka.program.protocol import Plan, Run, TailPolicy
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.program import ProgramSettings, PythonProgram
from mazurka.program.runtime import runtime, task
from mazurka.trace.event import Op

Runner = Callable[[str, list[Plan]], list[Run]]
PLANS = [Plan(), *(Plan(tail=TailPolicy.RANDOM, seed=seed) for seed in range(4)), Plan()]


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runner]:
    made: list[PythonProgram] = []

    def run(source: str, plans: list[Plan]) -> list[Run]:
        path = tmp_path / "program.py"
        path.write_text(dedent(source))
        program = PythonProgram(Script(str(path), [], instrument_source), ProgramSettings(roots=(str(tmp_path),)))
        made.append(program)
        return [program.execute(plan) for plan in plans]

    yield run
    for program in made:
        program.close()


def test_a_thread_starts_with_an_empty_context(runs: Runner) -> None:
    done = runs(
        """
        import contextvars, threading
        mark = contextvars.ContextVar("mark", default="clean")
        seen = []

        def work():
            seen.append(mark.get())
            mark.set("dirty")

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sorted(set(seen)))
        """,
        PLANS,
    )
    assert {run.output for run in done} == {"['clean']\n"}


def test_all_threads_have_the_same_depth_of_recursion_left_in_all_runs(runs: Runner) -> None:
    done = runs(
        """
        import threading
        depths = set()

        def count(depth=0):
            try:
                return count(depth + 1)
            except RecursionError:
                return depth

        def nest(levels):
            if levels:
                nest(levels - 1)
            else:
                thread = threading.Thread(target=lambda: depths.add(count()))
                thread.start()
                thread.join()

        for levels in (0, 30):
            nest(levels)
        print(len(depths), *depths)
        """,
        [Plan()] * 3,
    )
    assert len({run.output for run in done}) == 1
    assert done[0].output.startswith("1 ")


def test_more_threads_than_are_kept_and_threads_that_never_end(runs: Runner) -> None:
    done = runs(
        """
        import threading
        lock = threading.Lock()
        lock.acquire()
        for _ in range(5):
            threading.Thread(target=lock.acquire, daemon=True).start()
        threads = [threading.Thread(target=threading.get_ident) for _ in range(80)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
        PLANS,
    )
    assert not any(run.failures or run.truncated for run in done)
    assert done[0].log == done[-1].log


def test_output_is_each_runs_own(runs: Runner) -> None:
    done = runs(
        """
        import threading
        first = []

        def work():
            first.append(1)

        thread = threading.Thread(target=work)
        thread.start()
        if not first:
            print("late")
        thread.join()
        """,
        [Plan(tail=TailPolicy.RANDOM, seed=seed) for seed in range(12)],
    )
    assert {run.output for run in done} == {"", "late\n"}


def test_classes_that_a_run_made_go_with_it(runs: Runner) -> None:
    done = runs(
        """
        import threading

        class OfOneRun:
            shown = 1

        def work(thing):
            thing.shown

        thing = OfOneRun()
        thread = threading.Thread(target=work, args=(thing,))
        thread.start()
        thing.shown = 2
        thread.join()
        print(sum(each.__name__ == "OfOneRun" for each in object.__subclasses__()))
        """,
        PLANS,
    )
    assert {run.output for run in done} == {"1\n"}


def test_a_class_that_a_run_changed_is_looked_at_anew(runs: Runner, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text("class Shown:\n    def value(self): return 1\n")
    done = runs(
        """
        import threading
        from library import Shown
        thing = Shown()

        def change():
            Shown.value = 3

        def look():
            thing.value
            Shown.value

        threads = [threading.Thread(target=change), threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        thing.value
        """,
        PLANS,
    )
    assert done[0].log == done[-1].log


def test_a_run_says_the_same_however_it_is_asked_and_wherever_it_is(runs: Runner) -> None:
    (run,) = runs(
        """
        import threading
        seen = []
        threads = [threading.Thread(target=seen.append, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [0, 1, 2]
        """,
        [Plan(tail=TailPolicy.RANDOM, seed=2)],
    )
    schedule, passed = run.schedule(), run.passed()
    elsewhere = pickle.loads(pickle.dumps(run))
    assert type(elsewhere) is Run
    assert (elsewhere.schedule(), elsewhere.passed()) == (schedule, passed)
    assert (elsewhere.log, elsewhere.choices, elsewhere.failures) == (run.log, run.choices, run.failures)
    assert passed == len(schedule) == sum(step.point for step in run.log)


def test_an_interrupted_run_ends_at_its_next_step() -> None:
    running = runtime.Runtime(Plan(), task.Learned())

    def main() -> None:
        running.fork(lambda: None, daemon=False)
        running.interrupt()
        for _ in range(3):
            running.visit(Op.READ, ("x",), 1)

    running.run(main)
    assert running.truncated == "the run was cut after 4 steps"


ALARM = """
import signal, threading

def work():
    signal.setitimer(signal.ITIMER_REAL, 0.05)

signal.signal(signal.SIGALRM, lambda number, frame: print("rung"))
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
QUIET = """
import threading

thread = threading.Thread(target=int)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("source", [ALARM, QUIET])
def test_the_alarm_is_given_back(runs: Runner, tmp_path: Path, source: str) -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        handler = signal.getsignal(signal.SIGALRM)
        runs(source, PLANS)
        assert signal.getsignal(signal.SIGALRM) is handler  # as it stays armed only where no other code uses it
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.02)
        assert rung
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("source", [ALARM, QUIET])
def test_the_alarm_of_a_run_does_not_outlive_the_program(tmp_path: Path, source: str) -> None:
    before = signal.getsignal(signal.SIGALRM)
    path = tmp_path / "program.py"
    path.write_text(source)
    program = PythonProgram(Script(str(path), [], instrument_source), ProgramSettings(roots=(str(tmp_path),)))
    try:
        for plan in PLANS:
            program.execute(plan)
            if source is ALARM:
                assert signal.getitimer(signal.ITIMER_REAL)[1] == 0
    finally:
        program.close()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_numbers_start_again_in_each_run(runs: Runner) -> None:
    done = runs(
        """
        import random, threading

        def work():
            random.random()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(random.random(), random.gauss(0, 1), [random.getrandbits(32) for _ in range(624)][-1])
        random.seed(5)
        """,
        PLANS,
    )
    assert len({run.output for run in done}) == 1


def test_each_run_counts_functions_that_are_replaced(runs: Runner) -> None:
    """A run whose result is not used, as that of a saved failure, must not be the only one that does."""
    done = runs(
        """
        import threading, time

        class Sleep:
            def __call__(self, seconds):
                self.last = seconds

        before, time.sleep = time.sleep, Sleep()
        threads = [threading.Thread(target=lambda: time.sleep(1)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep = before
        """,
        PLANS,
    )
    assert [any("time.sleep" in each for each in run.untracked) for run in done] == [True] * len(PLANS)


def test_no_execution_outlives_the_next(runs: Runner) -> None:
    """Also where the program has weak references, for which garbage is collected twice."""
    source = """
        import threading, weakref

        class Node:
            def __del__(self):
                pass

        def work():
            node = Node()
            node.itself = node
            known.append(weakref.ref(node)() is node)

        known = []
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    runs(source, [Plan()] * 6)
    assert sum(isinstance(each, runtime.Runtime) for each in gc.get_objects()) <= 2
