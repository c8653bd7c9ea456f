"""pthreads: primitives, their misuse, races, and conflicts of accesses of different sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.errors import UsageError
from mazurka.explore import portfolio
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.llvm.opening import open_program
from mazurka.program.protocol import FailureKind, Plan
from mazurka.program.settings import ProgramSettings
from mazurka.replay.points import add_scheduling_points, points_of

TWO = """
int main(void) {
    pthread_t a, b;
    %s
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    %s
    return 0;
}
"""


def _two(shared: str, one: str, two: str, check: str = "", before: str = "") -> str:
    functions = f"void *one(void *z) {{ {one} return 0; }}\nvoid *two(void *z) {{ {two} return 0; }}\n"
    return f"{shared}\n{functions}" + TWO % (before, check)


ROBUST = (
    "pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_setrobust(&k, PTHREAD_MUTEX_ROBUST);"
    " pthread_mutex_init(&m, &k);"
)

WAITS = """
    #include <unistd.h>
    struct gate { pthread_mutex_t m; pthread_cond_t c; } *g;
    int waits, go; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    void *one(void *z) {
        pthread_mutex_lock(&m); waits = 1;
        while (!go) pthread_cond_wait(&g->c, &m);
        pthread_mutex_unlock(&m); return 0;
    }
    int main(void) {
        pthread_t a; int here;
        g = malloc(sizeof *g); pthread_cond_init(&g->c, 0); pthread_create(&a, 0, one, 0);
        pthread_mutex_lock(&m); here = waits; go = 1;
        if (here) { %s }
        pthread_mutex_unlock(&m); pthread_join(a, 0); return 0;
    }
"""

CORRECT = {
    "a condition variable ends once its waiter has been woken": WAITS
    % "pthread_cond_signal(&g->c); assert(!pthread_cond_destroy(&g->c)); free(g);",
    "a condition variable is made anew once its waiters have been woken": WAITS
    % "pthread_cond_broadcast(&g->c); assert(!pthread_cond_destroy(&g->c)); assert(!pthread_cond_init(&g->c, 0));",
    "a wait takes the mutex of a thread that has ended": _two(
        "int go, x; pthread_mutex_t m; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
        "pthread_mutex_lock(&m); x = 1; go = 1; pthread_cond_broadcast(&c);",
        "int r = pthread_mutex_lock(&m); if (r) pthread_mutex_consistent(&m);"
        "while (!go) { r = pthread_cond_wait(&c, &m); if (r) pthread_mutex_consistent(&m); }"
        "assert(r == EOWNERDEAD && x == 1); pthread_mutex_unlock(&m);",
        "",
        ROBUST,
    ),
    "a time that is none": _two(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct timespec none = {0, -1};",
        "int r = pthread_mutex_timedlock(&m, &none); assert(!r || r == EINVAL); if (!r) pthread_mutex_unlock(&m);",
        "int r = pthread_mutex_timedlock(&m, &none); assert(!r || r == EINVAL); if (!r) pthread_mutex_unlock(&m);",
    ),
    "a thread that may have ended": """
        int x;
        void *one(void *z) { x = 1; return &x; }
        int main(void) {
            pthread_t a; void *r; pthread_create(&a, 0, one, 0);
            if (pthread_tryjoin_np(a, &r)) pthread_join(a, &r);
            assert(x && r == &x);
        }
    """,
    "a waiting writer lets readers pass": _two(
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;",
        "pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);",
        "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);",
    ),
    "the last thread destroys a mutex": _two(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; _Atomic int left = 2;",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); if (left-- == 1) pthread_mutex_destroy(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); if (left-- == 1) pthread_mutex_destroy(&m);",
    ),
    "a mutex that is made beside another thread": _two(
        "pthread_mutex_t m; sem_t s; int x;",
        "pthread_mutex_init(&m, 0); sem_post(&s); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "sem_wait(&s); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "assert(x == 2);",
        "sem_init(&s, 0, 0);",
    ),
    "a cancelled thread unlocks in its handler": """
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void unlock(void *lock) { pthread_mutex_unlock(lock); }
        void *one(void *z) {
            pthread_mutex_lock(&m);
            pthread_cleanup_push(unlock, &m);
            pthread_testcancel();
            pthread_cleanup_pop(1);
            return 0;
        }
        int main(void) {
            pthread_t a; void *result;
            pthread_create(&a, 0, one, 0); pthread_cancel(a); pthread_join(a, &result);
            assert(result == PTHREAD_CANCELED || !result);
            pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
        }
    """,
    "a thread that can't be cancelled": """
        int n;
        void *one(void *z) {
            int before;
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
            n = 1; pthread_testcancel(); n = 2;
            pthread_setcancelstate(before, 0); pthread_testcancel();
            return 0;
        }
        int main(void) {
            pthread_t a;
            pthread_create(&a, 0, one, 0); pthread_cancel(a); pthread_join(a, 0); assert(n == 2);
        }
    """,
    "a robust mutex is made consistent": _two(
        "int x; pthread_mutex_t m;",
        "pthread_mutex_lock(&m); x = 1;",
        "if (pthread_mutex_lock(&m) == EOWNERDEAD) { x = 0; pthread_mutex_consistent(&m); }"
        " assert(x == 0); pthread_mutex_unlock(&m);",
        "",
        ROBUST,
    ),
    "threads.h": """
        #include <threads.h>
        mtx_t m; int x;
        int add(void *z) { mtx_lock(&m); x++; mtx_unlock(&m); return 3; }
        int main(void) {
            thrd_t a, b; int one, two;
            mtx_init(&m, mtx_plain); thrd_create(&a, add, 0); thrd_create(&b, add, 0);
            thrd_join(a, &one); thrd_join(b, &two); assert(x == 2 && one + two == 6);
        }
    """,
    "strtok_r has a place of its own": _two(
        "",
        'char a[] = "1 2", *rest; strtok_r(a, " ", &rest); assert(*strtok_r(0, " ", &rest) == \'2\');',
        'char b[] = "3 4", *rest; strtok_r(b, " ", &rest); assert(*strtok_r(0, " ", &rest) == \'4\');',
    ),
    "variable arguments": _two(
        "void log_(char *to, const char *format, ...) {"
        " va_list all; va_start(all, format); vsnprintf(to, 20, format, all); va_end(all); }",
        'char a[20]; log_(a, "%d %s", 1, "one"); assert(!strcmp(a, "1 one"));',
        'char b[20]; log_(b, "%.1f", 2.5); assert(!strcmp(b, "2.5"));',
    ),
    "mutex": _two(
        "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "assert(x == 2);",
    ),
    "recursive mutex": _two(
        "int x; pthread_mutex_t m;",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "assert(x == 2);",
        "pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE);"
        " pthread_mutex_init(&m, &k);",
    ),
    "condition": _two(
        "int ready; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); pthread_cond_signal(&c);",
    ),
    "semaphore": _two(
        "int x; sem_t s;",
        "sem_wait(&s); x++; sem_post(&s);",
        "sem_wait(&s); x++; sem_post(&s);",
        "assert(x == 2);",
        "sem_init(&s, 0, 1);",
    ),
    "read-write lock": _two(
        "int x; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;",
        "pthread_rwlock_wrlock(&l); x++; x++; pthread_rwlock_unlock(&l);",
        "pthread_rwlock_rdlock(&l); assert(x != 1); pthread_rwlock_unlock(&l);",
    ),
    "barrier": _two(
        "int x, y; pthread_barrier_t w;",
        "x = 1; pthread_barrier_wait(&w); assert(y);",
        "y = 1; pthread_barrier_wait(&w); assert(x);",
        "",
        "pthread_barrier_init(&w, 0, 2);",
    ),
    "once": _two(
        "int x; pthread_once_t o = PTHREAD_ONCE_INIT; void first(void) { x++; }",
        "pthread_once(&o, first); assert(x == 1);",
        "pthread_once(&o, first); assert(x == 1);",
    ),
    "atomic": _two("_Atomic int x;", "x++;", "x++;", "assert(x == 2);"),
    "spin lock": _two(
        "#include <stdatomic.h>\natomic_flag l = ATOMIC_FLAG_INIT; int x;",
        "while (atomic_flag_test_and_set(&l)); x++; atomic_flag_clear(&l);",
        "while (atomic_flag_test_and_set(&l)); x++; atomic_flag_clear(&l);",
        "assert(x == 2);",
    ),
    "fields of a word": _two("struct { int a, b; } s;", "s.a++;", "s.b++;", "assert(s.a == 1 && s.b == 1);"),
    "thread-local": _two("_Thread_local int x;", "x++; assert(x == 1);", "x++; assert(x == 1);"),
}

WRONG = {
    "a condition variable ends while a thread waits for it": (
        WAITS % "pthread_cond_destroy(&g->c);", FailureKind.EXCEPTION,
    ),
    "a wait gives up one level of a recursive mutex": (
        _two(
            "int go; pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; pthread_cond_t c;",
            "pthread_mutex_lock(&m); pthread_mutex_lock(&m); if (!go) pthread_cond_wait(&c, &m);"
            " pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
        ),
        FailureKind.BLOCKED,
    ),
    "a waiting writer holds a reader that comes again": (
        _two(
            "pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;",
            "pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l);"
            " pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);",
            "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);",
        ),
        FailureKind.BLOCKED,
    ),
    "a thread is joined by two others": (
        _two("pthread_t u; void *none(void *z) { return 0; }", "pthread_join(u, 0);", "pthread_join(u, 0);",
             before="pthread_create(&u, 0, none, 0);"),
        FailureKind.EXCEPTION,
    ),
    "a thread may not have ended": (
        _two("pthread_t u; void *none(void *z) { return 0; }", "assert(!pthread_tryjoin_np(u, 0));", "",
             before="pthread_create(&u, 0, none, 0);"),
        FailureKind.ASSERTION,
    ),
    "a request takes effect where cancellation becomes asynchronous": (
        """
        int n;
        void *one(void *z) {
            pthread_cancel(pthread_self()); n = 1;
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); n = 2;
            return 0;
        }
        int main(void) {
            pthread_t a;
            pthread_create(&a, 0, one, 0); pthread_join(a, 0); assert(n != 1);
        }
        """,
        FailureKind.ASSERTION,
    ),
    "a mutex is destroyed while another thread may use it": (
        _two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
            "pthread_mutex_destroy(&m);",
        ),
        FailureKind.EXCEPTION,
    ),
    "a condition is initialised after a thread has come to wait for it": (
        _two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; int go;",
            "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
            "pthread_cond_init(&c, 0); pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c);"
            " pthread_mutex_unlock(&m);",
        ),
        FailureKind.EXCEPTION,
    ),
    "a thread is cancelled that has a mutex": (
        """
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void *one(void *z) { pthread_mutex_lock(&m); for (;;) pthread_cond_wait(&c, &m); }
        int main(void) {
            pthread_t a;
            pthread_create(&a, 0, one, 0); pthread_cancel(a); pthread_join(a, 0); pthread_mutex_lock(&m);
        }
        """,
        FailureKind.BLOCKED,
    ),
    "a number of sixteen bytes is written in two parts": (
        _two("__int128 x;", "x = ((__int128)1 << 64) | 1;", "__int128 y = x; assert((long)y == (long)(y >> 64));"),
        FailureKind.ASSERTION,
    ),
    "localtime writes memory of all threads": (
        _two(
            "#include <time.h>",
            "time_t now = 0; struct tm *at = localtime(&now); assert(at->tm_year == 70);",
            "time_t now = 1L << 30; localtime(&now);",
        ),
        FailureKind.ASSERTION,
    ),
    "a variable of the environment is not there yet": (
        _two("", 'setenv("A", "1", 1);', 'assert(getenv("A"));'),
        FailureKind.ASSERTION,
    ),
    "the owner of a robust mutex has died": (
        _two(
            "int x; pthread_mutex_t m;",
            "pthread_mutex_lock(&m); x = 1;",
            "pthread_mutex_lock(&m); assert(x == 0); pthread_mutex_unlock(&m);",
            "",
            ROBUST,
        ),
        FailureKind.ASSERTION,
    ),
    "strtok goes on in another thread's text": (
        _two(
            'char a[] = "1 2", b[] = "3 4";',
            'strtok(a, " "); char *next = strtok(0, " "); assert(next && *next == \'2\');',
            'strtok(b, " "); strtok(0, " ");',
        ),
        FailureKind.ASSERTION,
    ),
    "lost update": (_two("int x;", "x++;", "x++;", "assert(x == 2);"), FailureKind.ASSERTION),
    "deadlock": (
        _two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
        ),
        FailureKind.DEADLOCK,
    ),
    "lost wake-up": (
        _two(
            "int ready; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
            "pthread_mutex_lock(&m); if (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
            "ready = 1; pthread_cond_signal(&c);",
        ),
        FailureKind.BLOCKED,
    ),
    "use after free": (_two("int *p;", "*p = 1;", "free(p);", "", "p = malloc(4);"), FailureKind.EXCEPTION),
    "double free": (_two("int *p;", "free(p);", "free(p);", "", "p = malloc(4);"), FailureKind.EXCEPTION),
    "initialised in use": (
        _two(
            "int x; pthread_mutex_t m;",
            "pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        ),
        FailureKind.EXCEPTION,
    ),
    "destroyed in use": (
        _two(
            "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
            "x; pthread_mutex_destroy(&m);",
        ),
        FailureKind.EXCEPTION,
    ),
    "parts of a word": (
        _two("union { long whole; int half[2]; } u;", "u.whole = -1;", "u.half[1] = 1;",
             "assert(u.half[0] == -1 && u.half[1] == 1);"),
        FailureKind.ASSERTION,
    ),
    "a copy of a structure": (
        _two("struct pair { int a, b; } s, t;", "s = (struct pair){1, 1};", "t = s;", "assert(t.a == 0);"),
        FailureKind.ASSERTION,
    ),
    "spins for ever": (
        _two("int flag;", "while (!flag);", ""), FailureKind.LIVELOCK,
    ),
    "polls with pauses": (
        _two("#include <unistd.h>\n_Atomic int asked, go;",
             "asked = 1; while (!go) usleep(100);", "if (asked) go = 1;"),
        FailureKind.LIVELOCK,
    ),
    "polls without the mutex": (
        _two("#include <unistd.h>\nint asked, go; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
             "pthread_mutex_lock(&m); asked = 1;"
             " while (!go) { pthread_mutex_unlock(&m); usleep(100); pthread_mutex_lock(&m); }"
             " pthread_mutex_unlock(&m);",
             "pthread_mutex_lock(&m); if (asked) go = 1; pthread_mutex_unlock(&m);"),
        FailureKind.LIVELOCK,
    ),
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dpor", "mcr", "se-mcr"])
@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_program_is_verified(name: str, strategy: str, tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, CORRECT[name], "-D_GNU_SOURCE"), strategy)
    assert isinstance(outcome.verdict, Verified), outcome


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dfs", "dpor", "dpor-rf", "mcr", "se-mcr"])
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_fails(name: str, strategy: str, tmp_path: Path) -> None:
    text, kind = WRONG[name]
    outcome = explored(opened(tmp_path, text, "-D_GNU_SOURCE"), strategy)
    assert isinstance(outcome.verdict, Violation), outcome
    assert outcome.verdict.first.failure.kind is kind


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr"])
def test_a_pipe_polled_for_ever_is_a_livelock(strategy: str, tmp_path: Path) -> None:
    text = _two(
        "#include <poll.h>\n#include <unistd.h>\nint p[2]; _Atomic int asked;",
        "asked = 1; struct pollfd f = {p[0], POLLIN, 0}; while (poll(&f, 1, 10) == 0);",
        'if (asked) write(p[1], "x", 1);',
        before="pipe(p);",
    )
    outcome = explored(opened(tmp_path, text), strategy)
    assert isinstance(outcome.verdict, Violation), outcome
    assert outcome.verdict.first.failure.kind is FailureKind.LIVELOCK


POLLS = {
    "with a yield": ("_Atomic int go;", "while (!go) {\nsched_yield();\n}", "", 1),
    "with a sleep": ("_Atomic int go;", "int n = 0;\nwhile (!go) {\nusleep(5);\n}\nn++;", "", 2),
    "under a lock": (
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int go;",
        "for (;;) {\npthread_mutex_lock(&m);\nif (go) break;\npthread_mutex_unlock(&m);\nsched_yield();\n}",
        "if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);",
        2,
    ),
}


@pytest.mark.parametrize("strategy", ["dfs", "mcr", "se-mcr", "ncmc", "unfolding"])
@pytest.mark.parametrize("name", POLLS)
def test_a_loop_that_polls_for_ever_is_reported_once_with_its_line(name: str, strategy: str, tmp_path: Path) -> None:
    shared, loop, other, line = POLLS[name]
    text = _two(f"#include <sched.h>\n#include <unistd.h>\n{shared}", f"\n#line 1\n{loop}", other)
    failures = [found.failure for found in explored(opened(tmp_path, text), strategy).found]
    assert [failure.kind for failure in failures] == [FailureKind.LIVELOCK]
    place = failures[0].waiting[0].location
    assert place is not None
    assert place.line == line


def test_a_race_is_reported_with_both_places(tmp_path: Path) -> None:
    text = _two("int x;", "x = 1;", "x = 2;")
    outcome = explored(opened(tmp_path, text, races=True))
    assert isinstance(outcome.verdict, Violation)
    failure = outcome.verdict.first.failure
    assert failure.is_race
    assert failure.message.startswith("data race on x: ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pthread_mutex_unlock(&m);", "unlocks m, which is free"),
        ("pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", "destroys m, which is locked"),
        ("pthread_mutex_destroy(&m); pthread_mutex_lock(&m);", "which has been destroyed"),
        ("pthread_cond_wait(&c, &m);", "waits for c without having m"),
        ("sem_wait(&s);", "as a semaphore, which is not initialised"),
        ("pthread_mutex_lock(malloc(40));", "as a mutex, which is not initialised"),
        ("pthread_cond_t own; pthread_cond_signal(&own);", "as a condition variable, which is not initialised"),
    ],
)
def test_misuse_is_a_fault(body: str, message: str, tmp_path: Path) -> None:
    run = executed(tmp_path, f"pthread_mutex_t m; pthread_cond_t c; sem_t s;\nint main(void) {{ {body} }}")
    (failure,) = run.failures
    assert message in failure.message


#: Waits that end only by cancellation.
CANCELLED = {
    "sem_wait": "sem_wait(&s);",
    "pthread_join": "pthread_join(b, 0);",
    "read": "char byte; read(p[0], &byte, 1);",
    "fgets": 'char line[9]; fgets(line, 9, fdopen(p[0], "r"));',
    "poll": "struct pollfd f = {p[0], POLLIN}; poll(&f, 1, -1);",
    "pthread_cond_wait": "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);",
    "in pthread_once": "pthread_once(&o, routine);",
}


@pytest.mark.parametrize("strategy", ["dpor", "unfolding"])
@pytest.mark.parametrize("name", CANCELLED)
def test_a_thread_is_cancelled_that_waits(name: str, strategy: str, tmp_path: Path) -> None:
    text = f"""
        #include <poll.h>
        #include <unistd.h>
        pthread_t a, b; sem_t s, u; int p[2], n; pthread_once_t o;
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void routine(void) {{ if (!n++) sem_wait(&s); }}
        void *one(void *z) {{ {CANCELLED[name]} return 0; }}
        void *other(void *z) {{ sem_wait(&u); return 0; }}
        int main(void) {{
            void *result;
            sem_init(&s, 0, 0); sem_init(&u, 0, 0); pipe(p);
            pthread_create(&b, 0, other, 0); pthread_create(&a, 0, one, 0);
            pthread_cancel(a); pthread_join(a, &result); assert(result == PTHREAD_CANCELED);
            sem_post(&u); pthread_join(b, 0);
            sem_post(&s); pthread_once(&o, routine); assert(n > 0);
        }}
    """
    outcome = explored(opened(tmp_path, text), strategy)
    assert isinstance(outcome.verdict, Verified), outcome


def test_the_signal_of_a_cancelled_thread_wakes_another_one(tmp_path: Path) -> None:
    """Whichever of the two has been woken, and whether it is cancelled before it goes on."""
    text = """
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int waiting, woken;
        void unlock(void *z) { pthread_mutex_unlock(&m); }
        void *work(void *z) {
            pthread_mutex_lock(&m); waiting++;
            pthread_cleanup_push(unlock, 0); pthread_cond_wait(&c, &m); woken++; pthread_cleanup_pop(1);
            return 0;
        }
        int main(void) {
            pthread_t a, b; void *one, *other;
            pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
            pthread_mutex_lock(&m);
            if (waiting < 2) return 0;
            pthread_cond_signal(&c); pthread_cancel(a);
            pthread_mutex_unlock(&m);
            pthread_join(a, &one);
            if (one != PTHREAD_CANCELED) pthread_cancel(b);
            pthread_join(b, &other);
            assert(woken == 1 && (one == PTHREAD_CANCELED) != (other == PTHREAD_CANCELED));
        }
    """
    for strategy in ("dfs", "dpor", "unfolding"):
        outcome = explored(opened(tmp_path, text), strategy)
        assert isinstance(outcome.verdict, Verified), outcome


def test_a_routine_that_longjmp_has_left_is_not_called_again(tmp_path: Path) -> None:
    """A thread that calls ``pthread_once`` after that waits for ever, as with glibc."""
    text = """
        #include <setjmp.h>
        pthread_once_t o; jmp_buf back;
        void routine(void) { longjmp(back, 1); }
        int main(void) { if (!setjmp(back)) pthread_once(&o, routine); pthread_once(&o, routine); }
    """
    (failure,) = executed(tmp_path, text).failures
    assert failure.kind is FailureKind.BLOCKED


def test_threads_that_share_a_buffer_for_jumps_are_in_conflict(tmp_path: Path) -> None:
    work = "if (!setjmp(back)) longjmp(back, 1);"
    outcome = explored(opened(tmp_path, _two("#include <setjmp.h>\njmp_buf back;", work, work)))
    assert isinstance(outcome.verdict, Violation)
    assert "a place in another thread" in outcome.verdict.first.failure.message


@pytest.mark.parametrize("type_", ["float", "double"])
def test_atomic_updates_of_floats(type_: str, tmp_path: Path) -> None:
    text = f"""
    _Atomic {type_} sum = 1.5;
    void *work(void *z) {{ __c11_atomic_fetch_add(&sum, ({type_})0.25, 5); return 0; }}
    int main(void) {{
        pthread_t a, b;
        pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); pthread_join(a, 0); pthread_join(b, 0);
        assert(__c11_atomic_exchange(&sum, ({type_})3, 5) == 2 && __c11_atomic_fetch_sub(&sum, ({type_})1, 5) == 3);
        assert(__c11_atomic_load(&sum, 5) == 2);
    }}
    """
    for strategy in ("dpor", "mcr"):
        outcome = explored(opened(tmp_path, text), strategy)
        assert isinstance(outcome.verdict, Verified), str(outcome)


def test_functions_that_are_not_known_cut_the_execution(tmp_path: Path) -> None:
    run = executed(tmp_path, "int fork(void); int main(void) { return fork(); }")
    assert "it calls fork, of which nothing is known" in run.truncated


def test_a_thread_may_not_wait_in_an_atomic_section(tmp_path: Path) -> None:
    text = _two(
        "void __VERIFIER_atomic_begin(void); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "__VERIFIER_atomic_begin(); pthread_mutex_lock(&m);",
        "",
    )
    assert "pthread_mutex_lock is called in an atomic section" in executed(tmp_path, text).truncated


def test_an_atomic_section_ends_with_its_thread(tmp_path: Path) -> None:
    text = _two("int x; void __VERIFIER_atomic_begin(void);", "__VERIFIER_atomic_begin(); x++;", "x++; x++;")
    run = executed(tmp_path, text)
    assert not run.truncated
    assert not run.failures


_SECTIONS = "void __VERIFIER_assume(int); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);"

#: A section whose assumption does not hold has no effect that another thread may see.
_TAKEN_BACK = _two(
    f"{_SECTIONS} int x, y; _Atomic int w;",
    "__VERIFIER_atomic_begin(); x = 1; w = 1; __VERIFIER_assume(y == 1); __VERIFIER_atomic_end();",
    "assert(x != 1); assert(w == 0); y = 1;",
)

#: A lock by an assumption, of servers without an end.
_SERVERS = _two(
    f"{_SECTIONS} int taken, inside; void __VERIFIER_atomic_take(void) {{ __VERIFIER_assume(!taken); taken = 1; }}",
    "for (;;) { __VERIFIER_atomic_take(); assert(++inside == 1); inside--; taken = 0; }",
    "for (;;) { __VERIFIER_atomic_take(); assert(++inside == 1); inside--; taken = 0; }",
)


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "se-mcr", "dfs"])
def test_writes_before_an_assumption_that_does_not_hold_are_not_seen(strategy: str, tmp_path: Path) -> None:
    found = explored(opened(tmp_path, _TAKEN_BACK), strategy)
    assert not isinstance(found.verdict, Violation), found.verdict
    assert isinstance(found.verdict, Verified) or strategy == "mcr"  # which is in doubt about sections with more steps


def test_memory_that_such_a_section_has_freed_is_untracked(tmp_path: Path) -> None:
    body = "int *p = malloc(4); __VERIFIER_atomic_begin(); free(p); __VERIFIER_assume(0);"
    run = executed(tmp_path, f"{_SECTIONS} int main(void) {{ {body} }}")
    assert any("freed in an atomic section" in each for each in run.untracked)


def test_variables_of_functions_that_such_a_section_has_called_do_not_matter(tmp_path: Path) -> None:
    text = _two(
        f"{_SECTIONS} int x; int sum(int k) {{ int all[2] = {{1, k}}; return all[k % 2]; }}",
        "__VERIFIER_atomic_begin(); x = sum(x); __VERIFIER_assume(0); __VERIFIER_atomic_end();",
        "assert(x == 0);",
    )
    assert isinstance(explored(opened(tmp_path, text)).verdict, Verified)


def test_threads_that_an_assumption_holds_are_in_no_livelock(tmp_path: Path) -> None:
    found = explored(opened(tmp_path, _SERVERS), "se-mcr")
    assert isinstance(found.verdict, Verified), found.verdict


def test_a_proof_holds_although_other_strategies_have_cut_executions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portfolio, "_LEADS", (0.0, 0.0))
    found = explored(opened(tmp_path, _SERVERS), "auto")
    assert isinstance(found.verdict, Verified), found.verdict
    found = explored(opened(tmp_path, _two("int x; int fork(void);", "x++;", "if (x) fork();")), "auto")
    assert isinstance(found.verdict, Inconclusive)
    assert "it calls fork" in found.verdict.reason


def test_executions_that_go_round_in_loops_are_cut_soon(tmp_path: Path) -> None:
    text = _two("int x;", "for (;;) x = (x + 1) % 4;", "for (;;) x = (x + 1) % 4;")
    run = executed(tmp_path, text)
    assert run.truncated == "the run was cut: its threads go round in loops"
    assert len(run.log) < 20_000


WAITING = """
_Atomic(int *) p; int v = 3;
int is_there(int *out) { int seen[2]; seen[0] = p != 0; *out = seen[0]; return 0; }
void *one(void *z) { p = &v; return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    int passes = 0;
    for (;;) { int now; is_there(&now); if (now) break; %s }
    pthread_join(a, 0);
    assert(passes < 3);
    return 0;
}
"""


def test_a_loop_that_waits_may_write_variables_of_a_pass(tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, WAITING % ""))
    assert isinstance(outcome.verdict, Verified)
    assert outcome.executions < 5


def test_a_loop_that_counts_its_passes_does_not_wait(tmp_path: Path) -> None:
    assert isinstance(
        explored(opened(tmp_path, WAITING % "int *at = &passes; if (++*at == 3) break;")).verdict, Violation
    )


def test_long_executions_that_make_progress_are_not_cut(tmp_path: Path) -> None:
    text = _two("int x;", "for (int k = 0; k < 2000; k++) x ^= 1;", "while (x < 3000 && x >= 0) x = x ? x + 2 : 2;")
    run = executed(tmp_path, text)
    assert (run.truncated, run.failures) == ("", [])
    assert len(run.log) > 4_000


def test_semaphores_count_as_progress(tmp_path: Path) -> None:
    text = _two(
        "sem_t s;",
        "while (sem_trywait(&s) == 0) ;",
        "",
        before="sem_init(&s, 0, 9000);",
    )
    assert not executed(tmp_path, text).truncated


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "unfolding", "mcr", "se-mcr"])
@pytest.mark.parametrize(("digits", "verdict"), [(12, Violation), (21, Violation), (11, Verified), (0, Verified)])
def test_functions_at_exit_are_called_in_the_reverse_order_of_the_threads(
    digits: int, verdict: type, strategy: str, tmp_path: Path
) -> None:
    shared = (
        "int order; void one_(void) { order = order * 10 + 1; } void two_(void) { order = order * 10 + 2; }"
        f"void check(void) {{ assert(order != {digits}); }}"
    )
    text = _two(shared, "atexit(one_);", "atexit(two_);", before="atexit(check);")
    assert isinstance(explored(opened(tmp_path, text), strategy).verdict, verdict)


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "unfolding", "mcr", "se-mcr"])
def test_a_thread_may_add_a_function_before_the_exit_or_after_it(strategy: str, tmp_path: Path) -> None:
    text = """
int ready, x; void last(void) { assert(!x); }
void *f(void *a) { __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST); atexit(last); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); %s x = 1; return 0; }
"""
    assert isinstance(explored(opened(tmp_path, text % ""), strategy).verdict, Violation)
    joined = text.replace("x = 1;", "pthread_join(t, 0);")
    assert isinstance(explored(opened(tmp_path, joined % ""), strategy).verdict, Verified)


def test_functions_at_exit_are_part_of_the_program(tmp_path: Path) -> None:
    text = 'void last(void) { puts("last"); } void fails(void) { abort(); }\n'
    run = executed(tmp_path, text + "int main(void) { atexit(fails); atexit(last); return 0; }")
    assert (run.output, run.failures[0].exception, run.truncated) == ("last\n", "abort", "")
    run = executed(tmp_path, text + "void _exit(int); int main(void) { atexit(fails); _exit(0); }")
    assert not run.failures


def test_unknown_floats_are_untracked(tmp_path: Path) -> None:
    run = executed(
        tmp_path, "float __VERIFIER_nondet_float(void); int main(void) { return __VERIFIER_nondet_float() > 1; }"
    )
    assert any("the input __VERIFIER_nondet_float()" in text for text in run.untracked)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("--include", ProgramSettings(include=("re",))), ("--invariant", ProgramSettings(invariant="x == 0"))],
)
def test_options_for_python_are_refused(name: str, settings: ProgramSettings, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int main(void) { return 0; }")
    with pytest.raises(UsageError, match=f"{name} is for programs in Python only"):
        open_program(str(path), (), settings)


def test_saved_points_are_those_of_the_execution(tmp_path: Path) -> None:
    """Neither operations of primitives at other sites, nor names that the file has elsewhere, add to them."""
    text = """
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    int count;
    void *work(void *unused) {
        pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
        return 0;
    }
    int main(void) {
        pthread_t one;
        pthread_create(&one, 0, work, 0);
        pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m);
        pthread_join(one, 0);
        pthread_cond_destroy(&c);
    }
    """
    program = opened(tmp_path, text)
    program.execute(Plan())
    run = program.execute(Plan())
    learned = set(program.learned.points)
    assert not {step.site for step in run.log if step.point} <= learned
    add_scheduling_points(program, points_of(run, program, str(tmp_path)), str(tmp_path))
    assert program.learned.points == learned


_KEEPS_THE_LOCK = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits, seen;
void *keep(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    waits = 1;
    pthread_cond_wait(&c, &m);
    return 0;
}
void *signal_once(void *unused) { (void)unused; pthread_cond_signal(&c); return 0; }
void *look(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    seen = waits;
    pthread_cond_broadcast(&c);
    pthread_cond_wait(&c, &m);
    assert(!seen);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, keep, 0);
    pthread_create(&thread, 0, signal_once, 0);
    pthread_create(&thread, 0, look, 0);
    return 0;
}
"""


@pytest.mark.parametrize("strategy", ["dfs", "mcr", "dpor-rf", "dpor", "icb-dpor", "unfolding", "se-mcr", "ncmc"])
def test_a_woken_thread_may_come_before_one_that_keeps_the_lock(strategy: str, tmp_path: Path) -> None:
    """In the other order it is woken, too, while the lock is never free again."""
    outcome = explored(opened(tmp_path, _KEEPS_THE_LOCK), strategy)
    assert {each.failure.kind.value for each in outcome.found} == {"assertion"}


NAMED = """
#include <fcntl.h>
int n;
void *work(void *unused) {{
    sem_t *s = sem_open("/s", O_CREAT, 0600, {0});
    sem_wait(s); n++; sem_post(s); {1}
    return 0;
}}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(n == 2);
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("value", "end", "is_right"),
    [(1, "sem_close(s);", True), (2, "sem_close(s);", False), (1, "sem_close(s); sem_post(s);", False), (0, "", False)],
)
def test_a_semaphore_is_shared_by_its_name(value: int, end: str, is_right: bool, tmp_path: Path) -> None:
    for strategy in ("dfs", "dpor"):
        verdict = explored(opened(tmp_path, NAMED.format(value, end)), strategy).verdict
        assert isinstance(verdict, Verified if is_right else Violation), strategy
