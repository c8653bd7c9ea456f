"""`mazurka record prog.c`: the trace of one execution, from which `predict` reports the bugs of other orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    assert "events of 3 threads to locks.parquet" in recorded.stderr
    predicted = shell.run("predict", "locks.parquet", status=1).stdout
    assert "1 race location" in predicted
    assert "1 deadlock" in predicted
    assert "locks.c:7" in predicted


def test_an_order_that_fails(shell: Shell) -> None:
    shell.write("locks.c", LOCKS)
    recorded = shell.run("record", "locks.c", "-o", "failed.csv", status=1)
    assert "the execution fails: " in recorded.stderr
    assert (shell.folder / "failed.csv").read_text().startswith("thread,op")


def test_misuse(shell: Shell) -> None:
    shell.write("locks.c", LOCKS)
    assert "for Python" in shell.run("record", "locks.c", "--values", status=2).stderr
    shell.write("there.parquet", "")
    assert "exists already" in shell.run("record", "locks.c", "-o", "there.parquet", status=2).stderr
    assert "cannot infer the format" in shell.run("record", "locks.c", "-o", "there.xyz", status=2).stderr
