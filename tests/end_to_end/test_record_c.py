"""`mazurka record prog.c`: the trace of one execution, from which `predict` reports the bugs of other orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

LOCKS = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, y;
void *f(void *p) {
    pthread_mutex_lock(&a); pthread_mutex_lock(&b); x++; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
    y = 1;
    return 0;
}
void *g(void *p) {
    pthread_mutex_lock(&b); pthread_mutex_lock(&a); x++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    y = 2;
    return 0;
}
int main() {
    pthread_t t[2];
    pthread_create(&t[0], 0, f, 0); pthread_create(&t[1], 0, g, 0);
    pthread_join(t[0], 0); pthread_join(t[1], 0);
}
"""


def test_bugs_of_other_orders_are_predicted(shell: Shell) -> None:
    shell.write("locks.c", LOCKS)
    recorded = shell.run("record", "locks.c", "--seed", "1", status=0)
    assert "events of 3 threads to locks.recording" in recorded.stderr
    predicted = shell.run("predict", "locks.recording", "--confirm", status=1).stdout
    assert "1 race location" in predicted
    assert "1 deadlock" in predicted
    assert "locks.c:7" in predicted
    assert predicted.count("confirmed by a replay") == 2


HELD = """
#include <pthread.h>
#include <time.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;
int take(int way, pthread_mutex_t *m) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 100;
    return way == 0 ? pthread_mutex_lock(m) : way == 1 ? pthread_mutex_trylock(m) : pthread_mutex_timedlock(m, &end);
}
void *f(void *p) {
    pthread_mutex_lock(&a);
    if (!take(WAY, &b)) { x++; pthread_mutex_unlock(&b); }
    pthread_mutex_unlock(&a);
    return 0;
}
void *g(void *p) {
    pthread_mutex_lock(&b); pthread_mutex_lock(&a); x++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    return 0;
}
int main() {
    pthread_t t[2];
    pthread_mutex_lock(&b);
    pthread_create(&t[0], 0, f, 0); pthread_create(&t[1], 0, g, 0);
    x = 1;
    pthread_mutex_unlock(&b);
    pthread_join(t[0], 0); pthread_join(t[1], 0);
}
"""


@pytest.mark.parametrize(("way", "deadlocks"), [(0, 1), (1, 0), (2, 0)])
def test_locks_that_are_held_at_the_first_fork_and_locks_that_are_tried(way: int, deadlocks: int, shell: Shell) -> None:
    shell.write("held.c", HELD)
    found = 0
    for seed in ("1", "3"):  # with the second one the recorded execution deadlocks itself
        shell.run("record", "held.c", "--seed", seed, "-o", f"{seed}.recording", "--", f"-DWAY={way}")
        predicted = shell.run("predict", f"{seed}.recording")
        assert "0 race locations" in predicted.stdout, predicted.stderr
        found += "1 deadlock" in predicted.stdout
    assert bool(found) == bool(deadlocks)


def test_an_order_that_fails(shell: Shell) -> None:
    shell.write("locks.c", LOCKS)
    recorded = shell.run("record", "locks.c", "-o", "failed.csv", status=1)
    assert "the execution fails: " in recorded.stderr
    assert (shell.folder / "failed.csv").read_text().startswith("thread,op")


def test_misuse(shell: Shell) -> None:
    shell.write("locks.c", LOCKS)
    assert "for Python" in shell.run("record", "locks.c", "--values", status=2).stderr
    assert "no event of the property use-after-close is about C" in (
        shell.run("record", "locks.c", "--property", "use-after-close", status=2).stderr
    )
    shell.write("there.parquet", "")
    assert "exists already" in shell.run("record", "locks.c", "-o", "there.parquet", status=2).stderr
    assert "cannot infer the format" in shell.run("record", "locks.c", "-o", "there.xyz", status=2).stderr


PROPERTIES = """
property closed-twice(fd):
    "{fd} is closed twice."
    event open(fd): returning call c:{open, dup}(...) -> fd
    event close(fd): call c:close(fd)
    pattern: open? close close

property stale-total:
    event check: get c:total
    event change: set c:total
    pattern: check(t1) change(t2)+ change(t1)

property order-of-locks(one, other):
    distinct: one, other
    event lock_one(one): returning call c:pthread_mutex_lock(one)
    event lock_other(other): returning call c:pthread_mutex_lock(other)
    event unlock_one(one): call c:pthread_mutex_unlock(one)
    event unlock_other(other): call c:pthread_mutex_unlock(other)
    pattern: lock_one(t1) lock_other(t1) (unlock_one(t1) | unlock_other(t1))* lock_other(t2) lock_one(t2)

property unlocked-twice(m):
    event lock(m): returning call c:pthread_mutex_lock(m)
    event unlock(m): call c:pthread_mutex_unlock(m)
    pattern: lock? unlock unlock

property spent-too-much(a):
    event spend(a): set c:account.balance(a) = -1
    pattern: spend
"""

CLOSE = """
static int fd = -1;
static void *one(void *arg) {
    int mine = fd;
    if (mine != -1) { fd = -1; close(mine); }
    return NULL;
}
static void *two(void *arg) { return one(arg); }
static void start(void) { int ends[2]; pipe(ends); fd = ends[0]; }
"""

TOTAL = """
static int total;
static void *one(void *arg) { if (total < 10) total = total + 1; return NULL; }
static void *two(void *arg) { usleep(1000); return one(arg); }
static void start(void) {}
"""

LOCK_ORDER = """
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *arg) {
    pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
    return NULL;
}
static void *two(void *arg) {
    usleep(1000);
    pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    return NULL;
}
static void start(void) {}
"""

UNLOCK = """
static pthread_mutex_t m;
static int is_held;
static void *one(void *arg) {
    pthread_mutex_lock(&m); is_held = 1; is_held = 0; pthread_mutex_unlock(&m);
    return NULL;
}
static void *two(void *arg) {
    usleep(1000);
    pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
    return NULL;
}
static void start(void) { pthread_mutex_init(&m, NULL); }
"""

SPEND = """
struct account { int owner, balance; };
static struct account account = {1, 2};
static void *one(void *arg) {
    if (account.balance >= 2) { account.balance = account.balance - 2; }
    return NULL;
}
static void *two(void *arg) { return one(arg); }
static void start(void) {}
"""

AROUND = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
{program}
int main(void) {{
    pthread_t first, second;
    start();
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}}
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "program", "is_violated"),
    [
        ("closed-twice", CLOSE, True),
        ("stale-total", TOTAL, True),
        ("order-of-locks", LOCK_ORDER, True),
        ("unlocked-twice", UNLOCK, False),
        ("spent-too-much", SPEND, False),
    ],
)
def test_violations_are_predicted_and_confirmed(shell: Shell, name: str, program: str, is_violated: bool) -> None:
    """One execution in some order shows what `check` finds by all of them; no execution shows what `check` excludes."""
    shell.write("own.mzp", PROPERTIES)
    shell.write("program.c", AROUND.format(program=program))
    named, predicted = f"own.mzp:{name}", []
    for seed in range(4):
        shell.run("record", "program.c", "--seed", str(seed), "-o", f"made{seed}", "--property", named)
        made = shell.run("predict", f"made{seed}", "--property", named, "--confirm").stdout
        assert "undecided" not in made or "0 undecided" in made
        predicted.append("confirmed by a replay" in made)
        assert predicted[-1] or f"0 violations of {name}" in made
    assert any(predicted) == is_violated
    checked = shell.run("check", "--strategy", "dfs", "--property", named, "program.c")
    assert checked.returncode == (1 if is_violated else 0), checked.stdout


SECTIONS = """
static int x;
static void note(int n) {}
static void __VERIFIER_atomic_both(void) { note(1); x = 1; note(2); }
static void *one(void *arg) { __VERIFIER_atomic_both(); return NULL; }
static void *two(void *arg) { note(3); x = 2; return NULL; }
static void start(void) {}
"""


def test_nothing_comes_between_the_events_of_an_atomic_section(shell: Shell) -> None:
    words = {"between": "first third second", "after": "first second third", "before": "third first second"}
    events = "".join(f"    event {name}: call c:note({n})\n" for n, name in enumerate(("first", "second", "third"), 1))
    stated = [f"property {name}:\n{events}    pattern: {word}\n" for name, word in words.items()]
    shell.write("note.mzp", "\n".join(stated))
    shell.write("program.c", AROUND.format(program=SECTIONS))
    for seed in range(3):
        shell.run("record", "program.c", "--seed", str(seed), "-o", f"made{seed}", "--property", "note.mzp", status=0)
        made = shell.run("predict", f"made{seed}", "--kind", "deadlocks", status=1).stdout
        assert "0 violations of between, 1 violation of after, 1 violation of before" in made
