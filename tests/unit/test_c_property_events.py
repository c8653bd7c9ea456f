"""The operations of a C program that are events of properties, one execution each."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.errors import UsageError
from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.opening import open_program
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings
from mazurka.properties.parsing import parsed
from mazurka.properties.registry import find

_SOURCE = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct part { char tag; int weight; };
typedef struct { int key; struct part part; struct part parts[2]; struct item *next; } item_t;
static item_t first;
static item_t *heap;
static int table[4];
static atomic_int counter;
int twice(int n) { return 2 * n; }
void use(const char *name, item_t *item) {}
void *thread(void *arg) {
    int (*function)(int) = twice;
    first.key = twice(-3) + function(5);
    first.parts[1].weight = 4;
    heap->part.weight = first.key;
    int *inner = &heap->part.weight;
    *inner = 9;
    table[2] = 1;
    atomic_fetch_add(&counter, 2);
    use("name", NULL);
    use("other", heap);
    item_t copy;
    memcpy(&copy, heap, sizeof copy);
    return NULL;
}
int main(void) {
    heap = calloc(1, sizeof *heap);
    pthread_t one;
    pthread_create(&one, NULL, thread, NULL);
    pthread_join(one, NULL);
    return 0;
}
"""


def _run(folder: Path, pointcut: str, parameters: str = "", **settings: object) -> Run:
    file = folder / "program.c"
    file.write_text(_SOURCE)
    head = f"({parameters})" if parameters else ""
    (stated,) = parsed(f"property p{head}:\n    event e{head}: {pointcut}\n    pattern: e\n")
    program = open_program(str(file), (), ProgramSettings(properties=(stated,), **settings))  # type: ignore[arg-type]
    return program.execute(Plan())


@pytest.mark.parametrize(
    ("pointcut", "objects"),
    [
        ("call c:twice(x)", "-3"),
        ("returning call c:twice(_) -> x", "-6"),
        ("call c:twice(x) if x > 0", "5"),
        ("set c:first = x", "4"),
        ("set c:item_t.key(_) = x", "4"),
        ("set c:item_t.key(x)", "&first"),
        ("set c:part.weight(_) = x if x > 4", "9"),
        ("set c:part.*(x) if x == x", "&first+20"),
        ("returning get c:item_t.key(_) -> x", "4"),
        ("set c:table = x", "1"),
        ("returning get c:counter -> x", "0"),
        ("set c:counter = x", "2"),
        ('call c:use("name", x)', "None"),
        ('call c:use("other", x)', "&heap 0#3"),
        ("call c:use(_, x) if x is not None", "&heap 0#3"),
        ("call c:{calloc, thread}(x, ...)", "1"),
    ],
)
def test_an_operation_is_an_event(pointcut: str, objects: str, tmp_path: Path) -> None:
    (failure,) = _run(tmp_path, pointcut, "x").failures
    assert failure.rule == "p"
    (event,) = failure.events
    shown = event.objects[0]
    assert shown == objects or ("heap" in objects and shown.startswith("&heap")), shown
    assert event.location is not None


@pytest.mark.parametrize(
    "pointcut", ["call c:twice(7)", 'call c:use("nam", _)', "set c:item_t.next(_)", "get c:absent"]
)
def test_an_operation_is_none(pointcut: str, tmp_path: Path) -> None:
    assert not _run(tmp_path, pointcut).failures


def test_bytes_that_are_copied_are_counted(tmp_path: Path) -> None:
    assert any("as a whole" in each for each in _run(tmp_path, "get c:item_t.next(_)").untracked)
    assert not _run(tmp_path, "call c:absent").untracked


_SECTION = """
#include <pthread.h>
#include <stddef.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x;
void touch(void) {}
void *thread(void *arg) {
    __VERIFIER_atomic_begin();
    x = x + 1;
    touch();
    x = x + 1;
    __VERIFIER_atomic_end();
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
"""
_TORN = """
property torn:
    event read: get c:x
    event touch: call c:touch
    event write: set c:x
    pattern: read(t1) (touch(t1) | write(t1))* (read(t2) | touch(t2) | write(t2)) (write(t1) | touch(t1))
"""


@pytest.mark.parametrize("held", [True, False])
def test_no_event_of_another_thread_is_in_an_atomic_section(held: bool, tmp_path: Path) -> None:
    text = (
        _SECTION
        if held
        else _SECTION.replace("    __VERIFIER_atomic_begin();\n", "").replace("    __VERIFIER_atomic_end();\n", "")
    )
    (tmp_path / "program.c").write_text(text)
    program = open_program(str(tmp_path / "program.c"), (), ProgramSettings(properties=parsed(_TORN)))
    explorer = Explorer(program, "dpor")
    for _ in explorer.progress():
        pass
    assert isinstance(explorer.outcome.verdict, Verified if held else Violation), explorer.outcome.verdict


_INPUT = """
int __VERIFIER_nondet_int(void);
void set(int n) {}
int main(void) {
    set(__VERIFIER_nondet_int());
    return 0;
}
"""


def test_an_unknown_input_is_a_definite_operand(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(_INPUT)
    stated = parsed("property p(n):\n    event e(n): call c:set(n)\n    pattern: e\n")
    (failure,) = (
        open_program(str(tmp_path / "program.c"), (), ProgramSettings(properties=stated)).execute(Plan()).failures
    )
    assert int(failure.events[0].objects[0]) == 0


def test_relaxed_memory_is_counted(tmp_path: Path) -> None:
    run = _run(tmp_path, "call c:absent", memory=MemoryModel.TSO)
    assert any("under TSO or PSO" in each for each in run.untracked)


def test_a_property_of_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(_SOURCE)
    with pytest.raises(UsageError, match="check-then-act is about C"):
        open_program(str(tmp_path / "program.c"), (), ProgramSettings(properties=tuple(find("check-then-act"))))
