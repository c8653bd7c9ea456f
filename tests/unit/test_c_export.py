"""Findings of C programs as programs of their own, which fail on real threads each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.c_programs import HEAD

from mazurka.program.llvm.export.exporting import Turn, turns_of
from mazurka.trace.event import Op

LOST = """
int count;
void *work(void *unused) { int seen = count; count = seen + 1; return 0; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0); pthread_create(&other, 0, work, 0);
    pthread_join(one, 0); pthread_join(other, 0);
    assert(count == 2);
}
"""

DEADLOCK = """
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first); pthread_mutex_lock(second);
    pthread_mutex_unlock(second); pthread_mutex_unlock(first);
}
void *one(void *n) { both(&a, &b); return 0; }
void *two(void *n) { both(&b, &a); return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0); pthread_join(s, 0); pthread_join(t, 0);
}
"""

CONDITION = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int items;
void *take(void *unused) {
    pthread_mutex_lock(&m);
    if (items == 0) pthread_cond_wait(&c, &m);
    items--; assert(items >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}
void *give(void *n) { pthread_mutex_lock(&m); items++; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t s, t, u;
    pthread_create(&s, 0, take, 0); pthread_create(&t, 0, take, 0); pthread_create(&u, 0, give, 0);
    pthread_join(u, 0); give(0); pthread_join(s, 0); pthread_join(t, 0);
}
"""

LOST_SIGNAL = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *work(void *unused) { pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t s;
    pthread_create(&s, 0, work, 0);
    pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
    pthread_join(s, 0);
}
"""

TYPES = """
#include <stdatomic.h>
typedef struct { char name[3]; short rank; double weight; void *self; } Entry;
typedef struct { long x, y; } Pair;
static Entry entries[2] = {{"ab", -3, 1.5, &entries[1]}, {"c", 7, -2.25, 0}};
static const char *const words[] = {"zero", "one", "two"};
static __thread int mine = 5;
static atomic_int done; static sem_t ready; static long (*chosen)(Pair, int);
static long area(Pair p, int by) { return p.x * p.y / by - (p.x < 0 ? p.y % 3 : 0); }
static Pair pair(long x) { Pair p = {x, x + 1}; return p; }
static void *work(void *n) {
    Entry copy = entries[(long)n]; mine += copy.rank;
    switch (mine) { case 2: copy.weight *= 2; break; case 12: copy.weight /= 2; break; default: abort(); }
    long sum = chosen(pair((long)n - 4), 2) + (long)(copy.weight * 8) + strlen(words[(long)n]);
    sem_wait(&ready); sem_post(&ready);
    int before = atomic_fetch_add(&done, 1), expected = 1;
    atomic_compare_exchange_strong(&done, &expected, 10);
    return (void *)(sum + (unsigned char)(before << 7) + (copy.self == &entries[1]));
}
int main(int argc, char **argv) {
    pthread_t t[2]; void *r[2]; long total = 0;
    chosen = area; sem_init(&ready, 0, 0); char text[40]; snprintf(text, sizeof text, "%d %s %.2f", argc, "x", 0.5);
    assert(argc == 1 && !strcmp(text, "1 x 0.50"));
    for (long k = 0; k < 2; k++) pthread_create(t + k, 0, work, (void *)k);
    sem_post(&ready);
    for (int k = 0; k < 2; k++) { pthread_join(t[k], r + k); total += (long)r[k]; }
    assert(total == 8 + 128 * (done != 2) || done != 11);
}
"""


def _mazurka(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mazurka", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _exported(folder: Path, text: str, *options: str) -> tuple[str, str]:
    """The text of the exported program, and the output of the replay that wrote it."""
    (folder / "program.c").write_text(HEAD + text)
    _mazurka(folder, "check", "program.c", "-q", *options)
    (schedule,) = (folder / ".mazurka" / "failures").glob("*.json")
    done = _mazurka(folder, "replay", str(schedule), "--export", "exported.c")
    written = folder / "exported.c"
    return written.read_text() if written.exists() else "", done.stdout + done.stderr


def _built(folder: Path, text: str, *flags: str) -> str:
    (folder / "exported.c").write_text(text)
    out = str(folder / "exported")
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "-pthread", *flags, str(folder / "exported.c"), "-o", out]
    subprocess.run(command, check=True, capture_output=True)
    return out


def _statuses(program: str, times: int) -> tuple[set[int], str]:
    runs = [subprocess.run([program], capture_output=True, text=True, check=False) for _ in range(times)]
    return {run.returncode for run in runs}, runs[-1].stderr


@pytest.mark.sampled
@pytest.mark.parametrize("text", [LOST, CONDITION, TYPES], ids=["lost", "condition", "types"])
@pytest.mark.parametrize("flags", [(), ("-O2",)])
def test_it_fails_in_the_same_way_20_of_20_times(text: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    source, replayed = _exported(tmp_path, text)
    assert "reproduced: assertion failed: " in replayed
    statuses, output = _statuses(_built(tmp_path, source, *flags), 20)
    assert statuses == {-6}
    assert replayed.splitlines()[0].removeprefix("reproduced: assertion failed: ") in output


@pytest.mark.parametrize("text", [DEADLOCK, LOST_SIGNAL], ids=["deadlock", "lost signal"])
def test_threads_that_wait_for_ever_are_said_to(text: str, tmp_path: Path) -> None:
    source, _ = _exported(tmp_path, text)
    program = _built(tmp_path, source.replace("alarm(5)", "alarm(1)"))
    assert _statuses(program, 3) == ({1}, "the threads wait for ever\n")


def test_a_turn_is_of_one_thread_and_may_begin_within_a_call() -> None:
    log = [(0, Op.FORK), (1, Op.BEGIN), (0, Op.READ), (1, Op.RELEASE), (0, Op.NOTIFY), (0, Op.END), (1, Op.ACQUIRE)]
    steps = {0: [2, 4], 1: [2]}
    assert turns_of(log, steps) == [
        Turn(0, 0, False), Turn(1, 0, False), Turn(0, 1, False), Turn(1, 1, False), Turn(0, 2, False), Turn(1, 1, True),
    ]  # fmt: skip


def test_late_stores_are_not_exported(tmp_path: Path) -> None:
    text = """
int x, y, a, b;
void *one(void *n) { x = 1; a = y; return 0; }
void *two(void *n) { y = 1; b = x; return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0); pthread_join(s, 0); pthread_join(t, 0);
    assert(a || b);
}
"""
    assert "its stores arrive late" in _exported(tmp_path, text, "--memory-model", "tso")[1]
