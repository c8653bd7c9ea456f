"""C programs of several files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

COUNTER = """
#include "counter.h"
static int count;
void add(void) { count = count + STEP; }
int total(void) { return count; }
"""

MAIN = """
#include <assert.h>
#include <pthread.h>
#include "counter.h"
static int count;
static void *work(void *p) { add(); return 0; }
int main() {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(total() == 2 * STEP && count == 0);
}
"""


def test_files_are_linked(shell: Shell) -> None:
    shell.write("include/counter.h", "void add(void);\nint total(void);\n")
    shell.write("counter.c", COUNTER)
    shell.write("main.c", MAIN)
    report = shell.run("check", "main.c", "--", "counter.c", "-Iinclude", "-DSTEP=3", status=1).stdout
    assert "counter.c:4" in report
    assert "assertion failed" in report
    again = shell.run(
        "replay", *[str(each) for each in (shell.folder / ".mazurka" / "failures").glob("*.json")], status=1
    )
    assert "reproduced" in again.stdout
    missing = shell.run("check", "main.c", "--", "-Iinclude", "-DSTEP=3", status=0).stdout
    assert "nothing is known" in missing


def test_arguments_that_the_compiler_has_flags_for(shell: Shell) -> None:
    shell.write(
        "main.c", '#include <string.h>\nint main(int n, char **v) { return n != 3 || strcmp(v[1], "-Da") || STEP; }\n'
    )
    report = shell.run("check", "main.c", "--", "-DSTEP=0", "--", "-Da", "main.c", status=0).stdout
    assert "verified" in report  # it would fail otherwise


def test_two_definitions(shell: Shell) -> None:
    shell.write("include/counter.h", "void add(void);\nint total(void);\n")
    shell.write("counter.c", COUNTER)
    shell.write("again.c", COUNTER)
    shell.write("main.c", MAIN)
    refused = shell.run("check", "main.c", "--", "counter.c", "again.c", "-Iinclude", "-DSTEP=3", status=2)
    assert "symbol multiply defined" in refused.stderr
