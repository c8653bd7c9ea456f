"""Preprocessed C: it compiles, its lines are those of its sources, and 32-bit headers are told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.c_programs import explored

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.preprocessed import word_of_32_bits
from mazurka.program.llvm.program import CProgram
from mazurka.program.llvm.sizes_of_32_bits import dependent_word
from mazurka.program.settings import ProgramSettings

COUNTER = """#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, unused = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw;
pthread_barrier_t both;
sem_t free_places;
int count;

void *work(void *unused) {
    sem_wait(&free_places);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&both);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_rwlock_init(&rw, 0);
    sem_init(&free_places, 0, 1);
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&t, &attributes, work, 0);
    pthread_barrier_wait(&both);
    pthread_join(t, 0);
    assert(count == EXPECTED);
    return 0;
}
"""


def _preprocessed(folder: Path, text: str, *flags: str, language: str = "cc") -> Path:
    """A text as the preprocessor leaves it, of a file that is not there any more."""
    source, made = folder / "counter.c", folder / ("task.i" if language == "cc" else "task.ii")
    source.write_text(text)
    command = [sys.executable, "-m", "ziglang", language, "-E", *flags, "counter.c", "-o", made.name]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    source.unlink()
    return made


@pytest.mark.parametrize("target", ["x86_64-linux-gnu", "x86-linux-gnu"])
@pytest.mark.parametrize("markers", [(), ("-P",)])
@pytest.mark.parametrize("expected", [1, 2])
def test_a_preprocessed_program_is_checked(
    target: str, markers: tuple[str, ...], expected: int, tmp_path: Path
) -> None:
    made = _preprocessed(tmp_path, COUNTER, "-target", target, f"-DEXPECTED={expected}", *markers)
    program = CProgram(str(made), (), (), ProgramSettings())
    outcome = explored(program)
    assert isinstance(outcome.verdict, Verified if expected == 1 else Violation)
    assert not program.facts().untracked
    if expected == 2 and not markers:
        (failing,) = outcome.found
        place, frame = failing.failure.location, failing.failure.frames[-1]
        assert place is not None
        line = 1 + COUNTER.splitlines().index("    assert(count == EXPECTED);")
        assert (place.file, place.line) == (str(tmp_path / "counter.c"), line)
        assert "count == 2" in frame.text


def test_preprocessed_cpp_is_compiled(tmp_path: Path) -> None:
    made = _preprocessed(tmp_path, "struct A { int x = 2; };\nint main() { return A().x; }\n", language="c++")
    (failing,) = explored(CProgram(str(made), (), (), ProgramSettings())).found
    assert failing.failure.message == "the program exits with 2"


GCC = """# 1 "elsewhere/queue.c"
# 1 "/usr/include/stdlib.h" 1 3 4
typedef unsigned long size_t;
extern void *malloc (size_t) __attribute__ ((__nothrow__)) __attribute__ ((__malloc__ (free, 1)));
extern _Float32 strtof32 (const char *);
extern _Float64x hypotf64x (_Float64x);
extern _Float128 fabsf128 (_Float128);
extern void abort (void) __attribute__ ((__noreturn__));
# 7 "elsewhere/queue.c" 2
int linux = 3, unix;

int main(void) {
    if (linux == 3)
        abort();
}
"""


def test_texts_of_gcc_are_read_with_the_lines_of_their_sources(tmp_path: Path) -> None:
    path = tmp_path / "queue.i"
    path.write_text(GCC)
    (failing,) = explored(CProgram(str(path), (), (), ProgramSettings())).found
    place, frame = failing.failure.location, failing.failure.frames[-1]
    assert place is not None
    assert (place.file, place.line) == (str(tmp_path / "elsewhere" / "queue.c"), 11)
    assert frame.text == "abort();"


DEPENDENT = {
    "long g;": "long",
    "int f(void) { return sizeof(int *); }": "sizeof",
    "typedef long stamp; typedef stamp moment; moment t;": "long",
    "struct q { long a; }; struct q *p;": "long",
    "struct q { long a; }; extern struct q *p; void *f(void) { return p; }": "long",
    "extern long strange(void); int f(void) { return strange(); }": "long",
    "int f(void) { return 3L; }": "3L",
    "int f(void) { return 0x3uL; }": "0x3uL",
    "int f(x) long x; { return 1; }": "long",
    "static inline int f(long x) { return x; } int g(void) { return f(3); }": "long",
    "void *(*f)(long);": "long",
    "int f(int *x) { return (intptr_t)x; }": "intptr_t",
    "int f(void) { struct { long x; } s; return s.x; }": "long",
    "enum { A = (long)1 };": "long",
    "int a = 1, b = (long)3;": "long",
    "int f(void) { if (malloc(4) && (long)3) return 1; return 0; }": "long",
    "union { int *p; int i[2]; } u;": "union",
    "int x; char *b = (char *)&x;": "(char *)",
    "struct s *p; int *f(void) { return (int *)&p->next; }": "(int *)&",
    "int x; unsigned f(void) { return (unsigned int)&x; }": "(unsigned int)&",
    "char b[8]; int *f(void) { return (int *)(b + 4); }": "(int *)(b",
    "int f(int *x, int **p) { memcpy(x, p, 4); return *x; }": "memcpy(x, p, 4)",
    "int x; __typeof__(&x - &x) d;": "__typeof__",
    "pthread_rwlock_t l = { { 0, 0, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP } };": (
        "= { { 0, 0, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP"
    ),
}
INDEPENDENT = [
    "long long g; unsigned long long h; long long int i; long double j;",
    "struct q { long a; }; extern long strange(long);",
    "typedef unsigned long pthread_t; pthread_t t;",
    "int f(void) { return 3LL; }",
    "int *f(void) { return malloc(3 * sizeof(int)); }",
    "int a[2]; int n = sizeof(a) / sizeof(a[0]), m = sizeof a / sizeof *a;",
    "char *s = \"a long text\"; char c = 'L';",
    "int f(long x); int g(void) { return f(3); }",
    "static inline int f(long x) { return x; }",
    "int x; void *f(void *a) { int *p = (int *)a; return (void *)&x; }",
]


@pytest.mark.parametrize("text", DEPENDENT)
def test_what_depends_on_sizes_is_found(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.i"
    path.write_text(f"typedef unsigned int size_t;\n{text}\nint main(void) {{ return 0; }}\n")
    assert word_of_32_bits(str(path)) == DEPENDENT[text]
    path.write_text(f"typedef unsigned long size_t;\n{text}\n")
    assert not word_of_32_bits(str(path))


@pytest.mark.parametrize("text", INDEPENDENT)
def test_what_does_not_depend_on_sizes_is_let_pass(text: str) -> None:
    assert not dependent_word(text)


def test_differences_of_pointers_depend_on_sizes(tmp_path: Path) -> None:
    path = tmp_path / "difference.i"
    for body, count in {"int a[3]; return &a[2] - a < 1u;": 1, "int a[3]; return (a + 1)[1] = 0;": 0}.items():
        path.write_text(f"typedef unsigned int size_t;\nint main(void) {{ {body} }}\n")
        program = CProgram(str(path), (), (), ProgramSettings())
        program.prepare()
        assert len(program.facts().untracked) == count


def test_nothing_is_verified_that_depends_on_sizes(tmp_path: Path) -> None:
    path = tmp_path / "large.i"
    path.write_text("typedef unsigned int size_t;\nint main(void) { return 1L << 31 < 0; }\n")
    (note,) = CProgram(str(path), (), (), ProgramSettings()).facts().untracked
    assert note == f"1L, which is another one in the 32 bits of {path}"
