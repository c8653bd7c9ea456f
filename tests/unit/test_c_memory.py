"""Faults of C programs in memory, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.program.protocol import Plan, TailPolicy

FAULTS = {
    "null pointer": "int *p = 0; return *p;",
    "out of bounds": "int a[4]; for (int i = 0; i <= 4; i++) a[i] = i; return 0;",
    "use after free": "int *p = malloc(4); free(p); *p = 1; return 0;",
    "double free": "int *p = malloc(4); free(p); free(p); return 0;",
    "invalid free": "int x; free(&x); return 0;",
    "uninitialised read": "int *p = malloc(4); return *p == 3;",
    "invalid pointer": "int *p = (int *)0x123456789abcL; return *p;",
    "write to a constant": 'char *s = (char *)"text"; s[0] = 1; return 0;',
    "division by zero": "volatile int zero = 0; return 5 / zero;",
    "invalid call": "void (*f)(void) = (void (*)(void))4096; f(); return 0;",
    "abort": "abort();",
    "use after return": "return *local();",
    "use after close": 'FILE *f = fopen("made.txt", "w"); fclose(f); return fgetc(f);',
    "undefined behaviour": 'printf("%d %d", 1); return 0;',
}

BEFORE = """
int *local(void) { int x = 1; int *volatile p = &x; return p; }
int sum(int n, ...) {
    va_list left;
    va_start(left, n);
    int all = 0;
    while (n--) all += va_arg(left, int);
    va_end(left);
    return all;
}
int deep(int n) { return n ? deep(n - 1) + 1 : 0; }
"""


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, tmp_path: Path) -> None:
    run = executed(tmp_path, f"{BEFORE}int main(void) {{\n{FAULTS[name]}\n}}\n", "-Wno-everything")
    (failure,) = run.failures
    assert failure.exception == name
    assert failure.location is not None
    assert failure.location.file == str(tmp_path / "program.c")


def test_an_array_of_variable_length_ends_with_its_block(tmp_path: Path) -> None:
    text = """
    int main(void) {
        int *kept = 0;
        for (int n = 1; n < 3; n++) { int own[n]; own[0] = n; if (n == 1) kept = own; else return *kept; }
        return 0;
    }
    """
    (failure,) = executed(tmp_path, text).failures
    assert failure.exception == "use after return"


def test_more_variable_arguments_than_were_given(tmp_path: Path) -> None:
    (failure,) = executed(tmp_path, f"{BEFORE}int main(void) {{ return sum(9, 1, 2, 3, 4, 5); }}\n").failures
    assert failure.message.startswith("out of bounds: reads 4 byte(s) at offset 0 of variable arguments in memory")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_values_that_are_only_copied_need_not_be_initialised(level: str, tmp_path: Path) -> None:
    text = """
    struct flags { unsigned a : 4, b : 4; };
    struct pair { int number; char letter; };
    struct wide { long first, second; };
    int sum(struct pair p) { return p.number + p.letter; }
    long first(struct wide w) { return w.first; }
    int main(void) {
        struct flags f; f.a = 3; f.b = 1;
        struct pair p; p.number = 40; p.letter = 2;
        struct wide w, copy; w.first = 7; copy = w;
        return f.a + f.b - 4 + sum(p) - 42 + (int)first(copy) - 7;
    }
    """
    assert not executed(tmp_path, text, level).failures


#: What needs more than the stack of a thread, 8 MB if nothing else is asked for: the real programs die of SIGSEGV.
OVERFLOWING = {
    "a large variable": "char all[9 << 20]; all[0] = 1; return 0;",
    "a variable of variable length": "char all[n << 20]; all[0] = 1; return 0;",
    "alloca": "char *all = __builtin_alloca(n << 20); all[0] = 1; return 0;",
    "a negative length": "int all[-n]; all[0] = 1; return 0;",
    "many calls with variables": "return (void *)(long)filled(n << 8);",
}
HAS_ROOM = {
    "a large variable": "char all[7 << 20]; all[0] = 1; return 0;",
    "one after another": "for (int k = 0; k < 9; k++) { char all[n << 16 << 3]; all[k] = 1; } return 0;",
    "returned calls": "for (int k = 0; k < 3; k++) filled(1000); return 0;",
    "many calls": "return (void *)(long)(deep(20000) - 20000);",
}
STACKS = (
    BEFORE
    + """
int filled(int depth) { char all[4096]; memset(all, depth, sizeof all); return depth ? filled(depth - 1) : all[0]; }
int n = 9;
void *work(void *unused) { %s }
int main(void) {
    pthread_t t; pthread_attr_t a;
    pthread_attr_init(&a); pthread_attr_setstacksize(&a, %s);
    pthread_create(&t, &a, work, 0);
    return pthread_join(t, 0);
}
"""
)
ON_MAIN = STACKS[: STACKS.index("int main")] + "int main(void) { return work(0) != 0; }"


@pytest.mark.parametrize("name", OVERFLOWING)
def test_a_stack_overflows(name: str, tmp_path: Path) -> None:
    for text in (STACKS % (OVERFLOWING[name], "8 << 20"), ON_MAIN % OVERFLOWING[name]):
        assert [each.exception for each in executed(tmp_path, text).failures] == ["stack overflow"]
    if name != "a negative length":
        assert not executed(tmp_path, STACKS % (OVERFLOWING[name], "64 << 20")).failures


@pytest.mark.parametrize("name", HAS_ROOM)
def test_a_stack_has_room(name: str, tmp_path: Path) -> None:
    for text in (STACKS % (HAS_ROOM[name], "8 << 20"), ON_MAIN % HAS_ROOM[name]):
        run = executed(tmp_path, text)
        assert not run.failures
        assert not run.truncated


def test_the_size_of_a_stack_is_the_one_asked_for(tmp_path: Path) -> None:
    run = executed(tmp_path, STACKS % ("char all[100 << 10]; all[0] = 1; return 0;", "64 << 10"))
    assert [each.exception for each in run.failures] == ["stack overflow"]


def test_endless_recursion_overflows_at_its_line(tmp_path: Path) -> None:
    (failure,) = executed(tmp_path, f"{BEFORE}int main(void) {{ return deep(-1); }}").failures
    assert failure.exception == "stack overflow"
    assert failure.location is not None
    assert failure.location.function == "deep"
    assert len(failure.frames) < 100


def test_calls_by_address_that_are_nested_too_deep_cut_the_execution(tmp_path: Path) -> None:
    text = "int down(int); int (*chosen)(int) = down;\nint down(int n) { return chosen(n + 1) + 1; }\n"
    run = executed(tmp_path, f"{text}int main(void) {{ return down(0); }}")
    assert not run.failures
    assert "nested too deep, at" in run.truncated


def test_a_large_object_cuts_the_execution(tmp_path: Path) -> None:
    run = executed(tmp_path, "int main(void) { return !malloc(1L << 40); }")
    assert "is larger than" in run.truncated


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_program_without_faults_has_none(level: str, tmp_path: Path) -> None:
    text = """
    struct node { int value; struct node *next; };
    int main(void) {
        struct node *first = 0;
        for (int i = 0; i < 10; i++) {
            struct node *each = malloc(sizeof *each);
            each->value = i; each->next = first; first = each;
        }
        int sum = 0;
        while (first) { struct node *next = first->next; sum += first->value; free(first); first = next; }
        char text[20]; snprintf(text, sizeof text, "sum %d", sum);
        puts(text);
        return strcmp(text, "sum 45");
    }
    """
    run = executed(tmp_path, text, level)
    assert not run.failures
    assert run.output == "sum 45\n"


def test_exit_status_and_assertion(tmp_path: Path) -> None:
    assert executed(tmp_path, "int main(void) { exit(3); }").failures[0].message == "the program exits with 3"
    failure = executed(tmp_path, "int main(void) { int x = 1; assert(x == 2); }").failures[0]
    assert (failure.kind.value, failure.message) == ("assertion", "assertion failed: x == 2")


MIXED = """
union { long whole; int halves[2]; char bytes[8]; } cell;
_Atomic int ready; int count;
void *work(void *given) {
    if (count++) cell.whole = 1; else cell.halves[1] = 2;
    if (given) { ready = 1; cell.bytes[3] = 4; }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &a);
    long seen = ready + cell.bytes[7];
    pthread_join(a, 0);
    pthread_join(b, 0);
    return seen == 77;
}
"""


def test_an_execution_is_the_same_after_others(tmp_path: Path) -> None:
    """Layouts and static objects are kept from one execution to the next."""
    used = opened(tmp_path, MIXED)
    for seed in range(30):
        plan = Plan(tail=TailPolicy.RANDOM, seed=seed)
        fresh = opened(tmp_path, MIXED)
        fresh.learned.points = set(used.learned.points)
        wanted, found = fresh.execute(plan), used.execute(plan)
        assert (found.log, found.choices) == (wanted.log, wanted.choices)
        assert used.learned.points == fresh.learned.points


#: Programs that fail in some orders, in which a thread reads the same number as in others.
_SAME_NUMBER = {
    "uninitialised read": """
int *place, out;
void *one(void *u) { int mine[1]; memcpy(place, mine, 4); return 0; }
void *two(void *u) { *place = 0; return 0; }
void *three(void *u) { if (*place > 2) out = 1; return 0; }
int main(void) {
    pthread_t a, b, c;
    place = malloc(4); *place = 0;""",
    "out of bounds": """
int flag; char *_Atomic place;
void *one(void *u) { flag = 1; return 0; }
void *two(void *u) { char *p = place; if (p) p[5] = 1; return 0; }
void *three(void *u) { int f = flag; char *p = malloc(8 - 4 * f); place = p; return 0; }
int main(void) {
    pthread_t a, b, c;""",
}


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "dpor-rf", "mcr", "se-mcr", "mcr-s+", "unfolding"])
@pytest.mark.parametrize("fault", _SAME_NUMBER)
def test_threads_notice_more_of_a_value_than_its_number(fault: str, strategy: str, tmp_path: Path) -> None:
    text = f"""{_SAME_NUMBER[fault]}
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_create(&c, 0, three, 0);
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
    return 0;
}}"""
    found = explored(opened(tmp_path, text), strategy)
    assert {each.failure.exception for each in found.found} == {fault}
