"""The ``unfolding`` strategy on programs: primitives of pthreads, endless loops, memory, settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.language import Read, SmallProgram, Write
from tests.oracle.program import OracleProgram
from tests.unit.c_programs import explored, opened

from mazurka.config import SEARCH_ORDERS, resolve
from mazurka.errors import UsageError
from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import FailureKind
from mazurka.replay.replayer import with_inputs
from mazurka.report.check_report import Verdict
from mazurka.unfold.searchers import SEARCHERS
from mazurka.unfold.strategy import resident_megabytes
from mazurka.workflows.checking import check
from mazurka.workflows.program_spec import ProgramSpec

_RACING = SmallProgram(((Write("x", "1"), Write("y", "1")), (Read("a", "x"), Read("b", "y")), (Write("x", "2"),)) * 2)

_TWO_THREADS = """
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""

#: Programs with primitives that have rules of their own.
_PRIMITIVES = {
    "read-write lock": """
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *first(void *u) {
    pthread_rwlock_wrlock(&lock); x = 1; pthread_rwlock_unlock(&lock); return 0;
}
void *second(void *u) {
    pthread_rwlock_rdlock(&lock); int a = x; pthread_rwlock_unlock(&lock);
    if (!pthread_rwlock_tryrdlock(&lock)) { assert(x >= a); pthread_rwlock_unlock(&lock); }
    return 0;
}
""",
    "barrier": """
#include <stdatomic.h>
pthread_barrier_t barrier;
atomic_int x;
void *first(void *u) { x = 1; pthread_barrier_wait(&barrier); assert(x == 3); return 0; }
void *second(void *u) { while (x != 1) ; x = 3; pthread_barrier_wait(&barrier); return 0; }
#define main unused
""",
    "semaphore": """
sem_t semaphore;
int x;
void *first(void *u) { sem_wait(&semaphore); x++; sem_post(&semaphore); return 0; }
void *second(void *u) {
    if (!sem_trywait(&semaphore)) { x++; sem_post(&semaphore); }
    sem_post(&semaphore);
    return 0;
}
#define SETUP sem_init(&semaphore, 0, 1);
""",
    "condition": """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;
void *first(void *u) {
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
void *second(void *u) {
    pthread_mutex_lock(&lock); ready = 1; pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&condition);
    return 0;
}
""",
    "try-lock": """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *u) { pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock); return 0; }
void *second(void *u) { if (!pthread_mutex_trylock(&lock)) { x++; pthread_mutex_unlock(&lock); } return 0; }
""",
}


def _text(name: str) -> str:
    text = _PRIMITIVES[name]
    setup = "pthread_barrier_init(&barrier, 0, 2);" if name == "barrier" else ""
    setup += "sem_init(&semaphore, 0, 1);" if name == "semaphore" else ""
    text = text.replace("#define main unused\n", "").replace("#define SETUP sem_init(&semaphore, 0, 1);\n", "")
    return text + _TWO_THREADS.replace("pthread_t a, b;", f"pthread_t a, b; {setup}")


@pytest.mark.parametrize("name", _PRIMITIVES)
def test_primitives_have_as_many_orders_as_for_dpor(name: str, tmp_path: Path) -> None:
    program = opened(tmp_path, _text(name))
    expected = explored(program)
    settings = StrategySettings(cutoffs=False)
    found = Explorer(program, "unfolding", settings=settings, stop_at_first=False).run()
    assert isinstance(expected.verdict, Verified)
    assert isinstance(found.verdict, Verified), found.verdict
    again = Explorer(program, "dpor", stop_at_first=False).run()
    once_more = Explorer(program, "unfolding", settings=settings, stop_at_first=False).run()
    assert once_more.executions == again.executions


_TOGGLES = """
#include <stdatomic.h>
atomic_int x, stop;
void *first(void *u) { while (!stop) x = 1 - x; return 0; }
void *second(void *u) { int a = x; stop = 1; assert(a == 0 || a == 1); return 0; }
"""


def test_a_program_that_need_not_end_is_verified(tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, _TOGGLES + _TWO_THREADS), "unfolding")
    assert isinstance(outcome.verdict, Verified)
    assert outcome.executions < 50


def test_a_failure_after_a_number_of_passes_is_found(tmp_path: Path) -> None:
    text = _TOGGLES.replace("a == 0 || a == 1", "a == 0")
    outcome = explored(opened(tmp_path, text + _TWO_THREADS), "unfolding")
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.kind is FailureKind.ASSERTION


def test_threads_that_can_only_go_round_are_not_verified(tmp_path: Path) -> None:
    text = _TOGGLES.replace("stop = 1;", "")
    outcome = explored(opened(tmp_path, text + _TWO_THREADS), "unfolding")
    assert not isinstance(outcome.verdict, Verified)


@pytest.mark.parametrize("order", SEARCHERS)
def test_too_much_memory_ends_the_search_without_a_verdict(order: str) -> None:
    settings = StrategySettings(search_order=order, cutoffs=False, memory=1)
    outcome = Explorer(OracleProgram(_RACING), "unfolding", settings=settings).run()
    assert isinstance(outcome.verdict, Inconclusive)
    assert outcome.verdict.reason == "the search took more than 1 MB of memory and left executions out"
    assert resident_megabytes() > 1


def test_settings_of_the_search_belong_to_the_strategy(tmp_path: Path) -> None:
    assert SEARCH_ORDERS == SEARCHERS
    given = {"strategy": "unfolding", "search_order": "coverage", "max_memory": 500}
    options = resolve(given, directory=tmp_path, environ={})
    assert (options.search_order, options.max_memory, options.cutoffs) == ("coverage", 500, True)
    for name, value in (("search_order", "coverage"), ("cutoffs", False), ("max_memory", 500)):
        with pytest.raises(UsageError, match="is a setting of the strategy unfolding, not of dpor"):
            resolve({"strategy": "dpor", name: value}, directory=tmp_path, environ={})


_RACE = """
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
int a[4];
unsigned n;
void *first(void *u) { a[n] = 1; return 0; }
void *second(void *u) { int *p = a + 2; *p = 2; return 0; }
#define SETUP n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n < LIMIT);
"""


@pytest.mark.parametrize("strategy", ["unfolding", "dpor"])
@pytest.mark.parametrize("limit", [2, 4])
def test_a_race_at_an_unknown_address_names_the_input(limit: int, strategy: str, tmp_path: Path) -> None:
    """The address depends on the input: the race happens for one value of it."""
    main = _TWO_THREADS.replace("pthread_t a, b;", "pthread_t t, b; SETUP").replace("&a,", "&t,").replace("(a,", "(t,")
    path = tmp_path / "race.c"
    path.write_text(f"#include <pthread.h>\n{_RACE}{main}".replace("LIMIT", str(limit)))
    options = resolve({"strategy": strategy, "races": True}, directory=tmp_path, environ={})
    program = opened(tmp_path, path.read_text(), races=True)
    report = check(program, ProgramSpec("race.c", (), {}), options)
    races = [each for each in report.findings if each.kind == "race"]
    if limit == 2:
        assert not races
        assert report.verdict is Verdict.VERIFIED
    else:
        assert [dict(each.inputs) for each in races] == [{"nondet_uint()": 2}]
        assert races[0].replayed


#: Endless loops that test an input of 0 to 7, and a test of the state at the end.
_LOOPS = {
    "a lock in some passes": (
        "void *first(void *u) { while (!stop) { if (n > 5) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }"
        " x = 1 - x; } return 0; }"
        "void *second(void *u) { int a = x; stop = 1; assert(!(a == 1 && n == 6)); return 0; }",
        "1",
    ),
    "a test without an effect": (
        "void *first(void *u) { for (;;) { int t = n > 5; if (stop) break; x = 1 - x; } return 0; }"
        "void *second(void *u) { stop = 1; return 0; }",
        "!(x == 1 && n == 7)",
    ),
    "a change that is taken back": (
        "void *first(void *u) { for (;;) { if (n == 3) { y = 1; y = 0; } if (stop) break; }"
        " if (n == 2) x = 1; return 0; }"
        "void *second(void *u) { int s = y; stop = 1; if (s && n == 3) x = 2; return 0; }",
        "x != 2 && x != 1",
    ),
    "an input that is stored": (
        "void *first(void *u) { while (!stop) { x = n; x = 0; } return 0; }"
        "void *second(void *u) { int a = x; stop = 1; if (a == 4) y = 1; return 0; }",
        "!y",
    ),
    "a thread that waits for a value": (
        "void *first(void *u) { while (x != n % 2) ; y = 1; return 0; }"
        "void *second(void *u) { if (n > 4) x = 1; return 0; }",
        "1",
    ),
}


@pytest.mark.parametrize("name", _LOOPS)
def test_endless_loops_that_test_inputs(name: str, tmp_path: Path) -> None:
    """The failures are those of all inputs, one by one."""
    threads, test = _LOOPS[name]
    head = (
        "#include <stdatomic.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nunsigned n;\natomic_int x, y, stop;\n"
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    )
    main = _TWO_THREADS.replace("pthread_t a, b;", "pthread_t a, b; n = __VERIFIER_nondet_uint() & 7;")
    main = main.replace("return 0;", f"assert({test}); return 0;")
    program = opened(tmp_path, head + threads + main)

    def failures(branches: bool) -> set[tuple[str, ...]]:
        settings, points = StrategySettings(branches=branches), program.learned.points
        explorer = Explorer(program, "unfolding", settings=settings, stop_at_first=False, learned=points)
        outcome = explorer.run()
        assert outcome.complete
        return {each.failure.identity for each in outcome.found}

    known: set[tuple[str, ...]] = set()
    for number in range(8):
        with with_inputs(program, {"nondet_uint()": number}):
            known |= failures(branches=False)
    assert known
    assert failures(branches=True) == known
