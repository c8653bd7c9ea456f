"""Programs in shapes that few tests have, drawn at random in Python and C: threads that outlive main, exits, handlers.

Strategies are held to ``dfs``, that to real threads, and data races to vector clocks. ``make bench
ARGS=differential`` draws thousands.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.differential import REAL, OpenedProgram, compared, difference, is_beginning, shrunk
from benchmarks.native_runs import native_outcomes
from benchmarks.real_threads import HANGS, outcomes
from tests.oracle.c_programs import THEMES, CProgram, drawn_in_c
from tests.oracle.happens_before import races
from tests.oracle.preemptive import hunt
from tests.oracle.python_programs import Program, drawn
from tests.oracle.shapes import EARLY, LATE, MAIN, Shape

from mazurka.program.protocol import Access, Step
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex
from mazurka.trace.targets import Target

#: What a shape has, by name.
FEATURES: dict[str, Callable[[Shape], bool]] = {
    "threads that nobody joins": lambda shape: not shape.joins and len(shape.starters) > 1,
    "threads of which some are joined": lambda shape: 0 < len(shape.joins) < len(shape.starters),
    "a thread that another one joins": lambda shape: any(by != MAIN for by, _ in shape.joins),
    "daemons, or detached threads": lambda shape: bool(shape.apart),
    "a thread that main starts late": lambda shape: LATE in shape.starters,
    "a thread that a thread starts": lambda shape: any(by >= 0 for by in shape.starters),
    "an exit handler": lambda shape: bool(shape.handlers),
    "a main thread that leaves": lambda shape: "exit" in shape.end,
    "a main thread that fails or returns a status": lambda shape: "raise" in shape.end or "return 3" in shape.end,
    "a main thread that shows the final state": lambda shape: shape.shows,
    "operations of main": lambda shape: bool(shape.main),
}

_STRATEGIES = ("mcr", "dpor", "icb-dpor", REAL, "races by dpor")


def _first(draw: Callable[[int], Program | CProgram], has: Callable[[Shape], bool], small: int) -> Program | CProgram:
    """The first small program with a feature."""
    programs = map(draw, range(1, 3_000))
    return next(each for each in programs if each.shape and has(each.shape) and _size(each) == small)


def _size(program: Program | CProgram) -> int:
    shape = program.shape
    assert shape is not None
    return sum(map(len, program.threads)) + len(shape.main) + len(shape.handlers)


@pytest.mark.sampled
@pytest.mark.parametrize("feature", FEATURES)
def test_python_programs_of_every_shape(feature: str, tmp_path: Path) -> None:
    program = _first(drawn, FEATURES[feature], 2)
    found = compared(program, _STRATEGIES, tmp_path)
    assert found.differ == {}, program.source()


@pytest.mark.sampled
@pytest.mark.parametrize("feature", FEATURES)
def test_c_programs_of_every_shape(feature: str, tmp_path: Path) -> None:
    program = _first(drawn_in_c, FEATURES[feature], 2)
    found = compared(program, _STRATEGIES, tmp_path)
    assert found.differ == {}, program.source()


#: Operations that once differed, of a thread and of main, with their theme.
_KEPT_IN_C = {
    "main waits for a signal": ("condition", "", "pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m);"),
    "main waits at a barrier": ("barrier", "", "x++; pthread_barrier_wait(&b);"),
    "two lock for ever": ("mutex", "pthread_mutex_lock(&m);", "pthread_mutex_lock(&m); pthread_mutex_lock(&m);"),
}


@pytest.mark.parametrize("name", _KEPT_IN_C)
def test_kept_c_programs(name: str, tmp_path: Path) -> None:
    theme, thread, main = _KEPT_IN_C[name]
    themes, shape = (THEMES[theme],), Shape((EARLY,), main=(main,))
    program = CProgram(themes, themes[0].ready, ((thread,) if thread else (),), shape)
    found = compared(program, ("mcr", "se-mcr", "dpor", "unfolding"), tmp_path)
    assert found.differ == {}, program.source()
    assert found.made


_FAILS_BESIDE = """\
import threading
def stay(): threading.Event().wait()
threading.Thread(target=stay).start()
raise ValueError
"""


def test_main_fails_before_it_waits_for_a_thread_that_never_ends(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_FAILS_BESIDE)
    with closing(OpenedProgram(file)) as opened:
        found = {strategy: opened.reached(strategy).failures for strategy in ("dfs", "mcr", "se-mcr")}
    assert {frozenset(kind for kind, *_ in each) for each in found.values()} == {frozenset({"blocked", "exception"})}


_EXIT_FUNCTION = """\
import atexit, threading
seen = []
def look(): assert not seen
atexit.register(look)
threading.Thread(target=lambda: seen.append(1), daemon=True).start()
"""


def test_an_assertion_of_an_exit_function_fails_the_program(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_EXIT_FUNCTION)
    with closing(OpenedProgram(file)) as opened:
        found = {strategy: opened.reached(strategy) for strategy in ("dfs", "mcr", "dpor")}
    for each in found.values():
        assert {kind for kind, *_ in each.failures} == {"assertion"}
    assert hunt(file, 20) is not None


_FAILS_BEFORE_THE_END = """\
import os, threading
lock, state = threading.Lock(), [0]
def attempt():
    if lock.acquire(blocking=False): lock.release()
    else: assert state[0]
threading.Thread(target=attempt).start()
with lock: state[0] += 1
{}
"""


@pytest.mark.parametrize("end", ["os._exit(3)", "os.abort()", "raise SystemExit(3)"])
def test_a_thread_fails_before_another_one_ends_the_process(end: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_FAILS_BEFORE_THE_END.format(end))
    with closing(OpenedProgram(file)) as opened:
        found = {name: opened.reached(name) for name in ("dfs", "mcr", "se-mcr", "ncmc", "dpor", "dpor-rf")}
    for name, reached in found.items():
        assert reached.complete, (name, reached.reason)
        assert {kind for kind, *_ in reached.failures} == {"assertion", "exit"}


_DAEMONS_OR_NOT = """\
import threading
class State: x = 0
one, other = threading.Lock(), threading.Lock()
def first():
    with one, other: pass
def second():
    with other, one: pass
def look(): State.x = 1
threading.Thread(target=look).start()
early = State.x == {}
for target in (first, second): threading.Thread(target=target, daemon=early).start()
"""


@pytest.mark.parametrize("early", [0, 1])
def test_threads_may_be_daemons_in_some_executions_only(early: int, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_DAEMONS_OR_NOT.format(early))
    with closing(OpenedProgram(file)) as opened:
        found = {name: opened.reached(name).failures for name in ("dfs", "mcr", "se-mcr", "ncmc", "dpor", "unfolding")}
    assert {frozenset(kind for kind, *_ in each) for each in found.values()} == {frozenset({"deadlock"})}


_INDEXES_A_LIST = """\
import os, threading
from concurrent.futures import ThreadPoolExecutor
def work():
    seen = []
    seen.append(semaphore.acquire())
def scenario():
    global threads, pool, semaphore
    seen = []
    pool, semaphore = ThreadPoolExecutor(1), threading.BoundedSemaphore(1)
    threads = [threading.Thread(target=work), threading.Thread(target=work)]
    threads[0].start()
    seen.append(pool.submit(int).result())
    threads[1].start()
    threads[0].join()
    os._exit(0)
scenario()
"""


def test_a_list_has_one_name_in_executions_with_values_and_without(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_INDEXES_A_LIST)
    with closing(OpenedProgram(file)) as opened:
        known = opened.reached("dfs")
        assert difference(opened.reached("ncmc"), known) == ""
        assert difference(opened.reached("ncmc"), known) == ""


_RELEASED_BY_ANOTHER = """\
import threading
lock = threading.Lock()
def release_twice():
    lock.acquire(False)
    lock.release()
    lock.release()
def scenario():
    lock.acquire()
    threads = [threading.Thread(target=target) for target in (release_twice, lock.release)]
    for each in threads: each.start()
    for each in threads: each.join()
scenario()
"""


@pytest.mark.parametrize("strategy", ["mcr", "dpor"])
def test_a_failure_is_executed_again_with_the_points_that_this_teaches(strategy: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_RELEASED_BY_ANOTHER)
    with closing(OpenedProgram(file)) as opened:
        known = opened.reached("dfs")
        assert known.failures
        assert difference(opened.reached(strategy), known) == ""


#: Work of two threads that nobody joins, and of main.
_DECIDED = {
    "attempts to take a lock": """
    if lock.acquire(False):
        state.x += 1
        lock.release()
""",
    "objects that end": """
    counted = Counted()
    del counted
""",
    "a pool": """
    try: pool.submit(lambda: None)
    except RuntimeError: pass
""",
}
_UNJOINED = """\
import threading
from concurrent.futures import ThreadPoolExecutor
class Counted:
    x = 0
    def __del__(self): state.x += 1
state, lock, pool = Counted, threading.Lock(), ThreadPoolExecutor(1)
def work():{}
for _ in range({}): threading.Thread(target=work, daemon=True).start()
work()
"""


@pytest.mark.parametrize("work", _DECIDED)
def test_programs_with_daemons_are_decided(work: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_UNJOINED.format(_DECIDED[work], 1 if work == "a pool" else 2))
    with closing(OpenedProgram(file)) as opened:
        for strategy in ("mcr", "mcr-s+", "dpor-rf", "dpor"):
            reached = opened.reached(strategy)
            assert reached.complete, (strategy, reached.reason)
            assert not reached.failures


def test_c_programs_are_drawn_alike_and_shrink(tmp_path: Path) -> None:
    for number in range(300):
        program = drawn_in_c(number)
        assert program == drawn_in_c(number)
        assert all(_size(each) <= _size(program) for each in program.smaller())
    texts = [each.source() for number in range(3) for each in (drawn_in_c(number), *drawn_in_c(number).smaller())]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.c").write_text(text)
    files = [f"{number}.c" for number in range(len(texts))]
    subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Wno-unused", "-Werror", *files], cwd=tmp_path, check=True)


def test_a_thread_without_which_nothing_is_joined_goes() -> None:
    shape = Shape((EARLY, 0, EARLY), frozenset({2}), ((MAIN, 0), (2, 1)))
    assert shape.without(1) == Shape((EARLY, EARLY), frozenset({1}), ((MAIN, 0),))
    program = CProgram((), (), (("x = 1;",), (), ("y = 1;",)), shape)
    least = shrunk(program, lambda each: "y = 1;" in each.source())
    assert least.threads == (("y = 1;",),)
    assert least.shape == Shape((EARLY,))


_ENDING = """
import atexit, os, sys, threading
def fail(): raise ValueError
def stay(): threading.Event().wait()
atexit.register(lambda: print("done"))
threading.Thread(target=fail).start()
threading.Thread(target=stay, daemon=True).start()
{}
"""


@pytest.mark.parametrize(
    ("end", "shown", "status"), [("pass", "done", 0), ("sys.exit(3)", "done", 3), ("os._exit(4)", "", 4)]
)
def test_real_threads_end_as_an_interpreter_does(end: str, shown: str, status: int) -> None:
    real = outcomes(_ENDING.format(end), 2, is_script=True)
    assert real.returned == {shown}
    assert real.statuses == ({status} if status else set())
    assert real.failed <= {("ValueError", 3)}


_BLOCKS = """\
import threading
lock = threading.Lock()
lock.acquire()
threading.Thread(target=lock.locked).start()
lock.acquire()
"""


def test_real_threads_have_no_models(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_BLOCKS)
    with closing(OpenedProgram(file)) as opened:
        assert {kind for kind, *_ in opened.reached("dfs").failures} == {"deadlock"}
        real = outcomes(_BLOCKS, 1, patience=1.0, is_script=True)
    assert (real.returned, real.failed) == ({HANGS}, set())


def test_a_process_may_end_before_all_is_written(tmp_path: Path) -> None:
    program = CProgram((), (), (("exit(0);",),), Shape((EARLY,), shows=True))
    assert compared(program, (REAL,), tmp_path).differ == {}
    assert is_beginning("", {"final: 1"})
    assert is_beginning("final: 1\nfinal: 1", {"final: 1\nfinal: 2"})
    assert not is_beginning("final: 2", {"final: 1\nfinal: 2"})


def test_native_threads_pause_where_they_are_asked_to(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(CProgram((), (), (("x = 1;",), ("assert(x != 1);",)), Shape((EARLY, EARLY))).source())
    found = native_outcomes(file, 40)
    assert found.returned == {""}
    assert found.failed <= {24}
    assert not found.hangs


_X: Target = ("var", "x")
_LOCK: Target = ("lock", 1)
_FLAG: Target = ("atomic", "f", 0)


def _step(thread: int, op: Op, target: Target, site: int, *more: Access) -> Step:
    return Step(ThreadIndex(thread), op, target, SiteNumber(site), True, None, more)


def test_races_by_vector_clocks() -> None:
    write, other = _step(1, Op.WRITE, _X, 1), _step(2, Op.WRITE, _X, 2)
    assert races([write, other]) == {(1, 2)}
    assert races([write, _step(1, Op.RELEASE, _LOCK, 3), _step(2, Op.ACQUIRE, _LOCK, 4), other]) == set()
    assert races([write, _step(2, Op.READ, _X, 3), other]) == {(1, 3)}  # then it is no longer adjacent
    failed = _step(2, Op.READ, _LOCK, 4, Access(Op.REQUEST, _LOCK))
    assert races([write, _step(1, Op.ACQUIRE, _LOCK, 3), failed, other]) == {(1, 2)}
    unchanged = _step(2, Op.READ, _FLAG, 4, Access(Op.REQUEST, _FLAG))  # an exchange of 1 and 1
    assert races([write, _step(1, Op.WRITE, _FLAG, 3), unchanged, other]) == set()
