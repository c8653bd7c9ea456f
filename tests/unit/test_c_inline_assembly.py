"""Inline assembly that orders memory, and all other, which is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.errors import UsageError
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.memory import MemoryModel

CROSSED = """
volatile int x, y; int r, s;
void *one(void *z) {{ x = 1; {0} r = y; return 0; }}
void *two(void *z) {{ y = 1; {0} s = x; return 0; }}
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
        ("__sync_synchronize();", True),
    ],
)
def test_fences_order_stores_and_reads(text: str, is_fence: bool, tmp_path: Path) -> None:
    verdict = explored(opened(tmp_path, CROSSED.format(text), model=MemoryModel.TSO)).verdict
    assert isinstance(verdict, Verified if is_fence else Violation)


def test_an_empty_text_gives_its_input_back(tmp_path: Path) -> None:
    text = 'int main(void) { int x = 7, *p = &x; __asm__ volatile("" : "+r"(x), "+m"(*p)); return x == 7 ? 0 : 1; }'
    assert not executed(tmp_path, text.replace(', "+m"(*p)', "")).failures
    assert not executed(tmp_path, text.replace('"+r"(x), ', "")).failures


@pytest.mark.parametrize("text", ['"lock; incl %0" : "+m"(x)', '"rdtsc" : "=a"(x)', '"cpuid" ::: "eax"'])
def test_other_assembly_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="inline assembly"):
        executed(tmp_path, f"int main(void) {{ int x = 0; __asm__ volatile({text}); return x; }}")
