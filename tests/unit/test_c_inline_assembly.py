"""Inline assembly: which instructions are one step or a fence, and which texts are an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.errors import UsageError
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.memory import MemoryModel

CROSSED = """
volatile int x, y; int r, s;
int owned[2];
void *one(void *z) {{ int n = 3, old = 5, *p = owned; x = 1; {0} r = y; return 0; }}
void *two(void *z) {{ int n = 3, old = 5, *p = owned + 1; y = 1; {0} s = x; return 0; }}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(r || s);
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("text", "is_fence"),
    [
        ('__asm__ volatile("" ::: "memory");', False),
        ('__asm__ volatile("pause" ::: "memory");', False),
        ('__asm__ volatile("rep; nop");', False),
        ('__asm__ volatile("mfence" ::: "memory");', True),
        ('__asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");', True),
        ('__asm__ volatile("lfence" ::: "memory");', False),
        ('__asm__ volatile("incl %0" : "+m"(*p) :: "memory");', False),
        ('__asm__ volatile("cmpxchgl %1, %0" : "+m"(*p), "+r"(n), "+a"(old) :: "memory");', False),
        ('__asm__ volatile("lock; incl %0" : "+m"(*p) :: "memory");', True),
        ('__asm__ volatile("lock orl $1, %0" : "+m"(*p) :: "memory");', True),
        ('__asm__ volatile("lock\\n\\txaddl %1, %0" : "+m"(*p), "+r"(n) :: "memory");', True),
        ('__asm__ volatile("xchgl %1, %0" : "+m"(*p), "+r"(n) :: "memory");', True),
        ('__asm__ volatile("lock; cmpxchgl %1, %0" : "+m"(*p), "+r"(n), "+a"(old) :: "memory");', True),
        ('__asm__ volatile("lock; addl $0,-4(%%esp)" ::: "memory", "cc");', True),  # of programs for 32 bits
        ("__sync_synchronize();", True),
        ("__builtin_ia32_mfence();", True),
        ("__builtin_ia32_lfence(); __builtin_ia32_pause();", False),
    ],
)
def test_fences_order_stores_and_reads(text: str, is_fence: bool, tmp_path: Path) -> None:
    for model in (MemoryModel.TSO, MemoryModel.PSO):
        verdict = explored(opened(tmp_path, CROSSED.format(text), model=model)).verdict
        assert isinstance(verdict, Verified if is_fence else Violation), model


def test_an_empty_text_gives_its_input_back(tmp_path: Path) -> None:
    text = 'int main(void) { int x = 7, *p = &x; __asm__ volatile("" : "+r"(x), "+m"(*p)); return x == 7 ? 0 : 1; }'
    assert not executed(tmp_path, text.replace(', "+m"(*p)', "")).failures
    assert not executed(tmp_path, text.replace('"+r"(x), ', "")).failures


COUNTED = """
int n, zeros;
void *work(void *z) {{ int old = 0, one = 1; char is_zero = 0; {0} if (is_zero) zeros++; return 0; }}
int main(void) {{
    pthread_t a, b;
    n = {1};
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert({2});
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ('__asm__ volatile("{0}incl %0" : "+m"(n));', 0, "n == 2"),
        ('__asm__ volatile("{0}incl %0" : "=m"(n) : "m"(n));', 0, "n == 2"),
        ('__asm__ volatile("{0}addl %1, %0" : "+m"(n) : "ir"(5));', 1, "n == 11"),
        ('__asm__ volatile("{0}subl $5, (%0)" :: "r"(&n) : "memory");', 1, "n == -9"),
        ('__asm__ volatile("{0}xaddl %0, %1" : "+r"(one), "+m"(n) :: "memory"); is_zero = !one;', 0, "zeros == 1"),
        ('__asm__ volatile("{0}decl %0; sete %1" : "+m"(n), "=qm"(is_zero) :: "memory");', 2, "zeros == 1"),
        ('__asm__ volatile("{0}decl %[n]" : [n] "+m"(n), "=@ccz"(is_zero) :: "memory");', 2, "zeros == 1"),
        (
            '__asm__ volatile("{0}cmpxchgl %k3, %1\\n\\tsetz %b0"'
            ' : "=q"(is_zero), "+m"(n), "+a"(old) : "r"(one) : "memory", "cc");',
            0,
            "zeros == 1",
        ),
    ],
)
def test_updates_are_one_step_if_they_are_locked(text: str, first: int, last: str, tmp_path: Path) -> None:
    for prefix in ("lock; ", "lock ", "lock\\n\\t", ""):
        for strategy in ("dfs", "dpor"):
            program = opened(tmp_path, COUNTED.format(text.format(prefix), first, last))
            verdict = explored(program, strategy).verdict
            assert isinstance(verdict, Verified if prefix else Violation), (prefix, strategy)


def test_an_exchange_of_memory_is_one_step_without_a_prefix(tmp_path: Path) -> None:
    text = '__asm__ volatile("xchgl %0, %1" : "=r"(one), "=m"(n) : "0"(one), "m"(n) : "memory"); is_zero = !one;'
    assert isinstance(explored(opened(tmp_path, COUNTED.format(text, 0, "zeros == 1"))).verdict, Verified)


def test_a_store_is_late_under_pso_only_in_its_order_under_tso(tmp_path: Path) -> None:
    text = """
        char taken = 1;
        while (taken) __asm__ volatile("xchgb %b0, %1" : "+q"(taken), "+m"(lock) :: "memory");
        n++;
        __asm__ volatile("movb $0, %0" : "+m"(lock) :: "memory");
    """
    source = "char lock;" + COUNTED.format(text, 0, "n == 2")
    for model in MemoryModel:
        verdict = explored(opened(tmp_path, source, model=model)).verdict
        assert isinstance(verdict, Violation if model is MemoryModel.PSO else Verified), model


def test_nothing_is_verified_of_a_program_that_asks_for_the_processor(tmp_path: Path) -> None:
    text = 'int main(void) {{ int a = 0; __asm__ volatile("cpuid" : {0} :: "ebx", "ecx", "edx", "memory"); return 0; }}'
    assert isinstance(explored(opened(tmp_path, text.format('"+a"(a)'))).verdict, Inconclusive)


def test_nothing_is_verified_under_tso_of_a_program_that_reads_the_time_stamp(tmp_path: Path) -> None:
    program = opened(tmp_path, CROSSED.format("__builtin_ia32_rdtsc();"), model=MemoryModel.TSO)
    assert not isinstance(explored(program).verdict, Verified)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"fsqrt"', ""),
        ('"lock; incl %0" : "+r"(x)', ""),
        ('"1: jmp 1b"', ""),
        ('"lock incl 4(%0)" :: "r"(&x)', "declared neither by an operand nor by"),
        ('"rdtsc" : "=a"(x)', "a change of dx"),
        ('"cpuid" ::: "eax"', "a register without a value"),
        ('"movl 4(%%esp), %0" : "=r"(x) :: "memory"', "a register without a value"),
        ('"lock; addl $1, (%%rsp)" ::: "memory"', "a change of the stack"),
        ('"incl %0" :: "r"(x)', "not declared as an output"),
        ('"movl $1, %0; addl %1, %0" : "=r"(x) : "r"(y)', "without `&`"),
        ('"testl %1, %1; sete %b0" : "=&q"(x) : "r"(y)', "more bits of a register"),
        ('"addq %1, %q0" : "+r"(x) : "r"(y)', "operands of different sizes"),
        ('"sete %b0" : "+q"(x)', "flags that nothing has set"),
        ('"incl %0; setc %b1" : "+m"(x), "+q"(y)', "flags that are not modelled"),
        ('"rep; stosb" :: "D"(&x), "c"(4L), "a"(0) : "memory"', "not declared as an output"),
    ],
)
def test_other_assembly_is_an_error(text: str, reason: str, tmp_path: Path) -> None:
    source = f"int main(void) {{ int x = 0, y = 0; __asm__ volatile({text}); return x; }}"
    with pytest.raises(UsageError, match=f"line 9 has .*{reason}.*the inline assembly"):
        executed(tmp_path, source)


def test_assembly_in_other_syntax_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 9 has inline assembly in the syntax of Intel"):
        executed(tmp_path, 'int main(void) { __asm__ volatile("nop"); return 0; }', "-masm=intel")
