"""Recordings of control flow, decoded, are the blocks that a reference recorder in the same executions has seen:
random programs, and the workloads that are measured, at all levels of optimisation, with rings and time stamps or
without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.flow_odd_programs import ODD
from tests.oracle.flow_programs import drawn
from tests.oracle.flow_reference import built, disagreement, run

from mazurka.flow.instrument import Options

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 500 if _LONG else some_of(12)
_WORKLOADS = Path(__file__).parents[2] / "benchmarks" / "workloads" / "flow"
#: Small ones: each block is a step of the decoder.
_SIZES = {
    "compress": "1",
    "interpreter": "30",
    "matrix": "12",
    "pipeline": "40",
    "queens": "6",
    "racey": "2000",
    "search": "9000",
    "sorts": "3000",
    "table": "2000",
    "tree": "1000",
}
_RING = 128 << 10

#: Calls in each other, jumps out of them, callbacks and inputs, more than a ring holds.
_LASTING = """
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
int shared[16] = {1, 2, 3};
static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x == y) return 0;
    return x < y ? -1 : 1;
}
__attribute__((noinline)) int fib(int n) { return n < 2 ? n + (shared[n] & 1) : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int walk(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (shared[i & 15] & 1) s += i; else s ^= 3;
        switch (s & 7) { case 0: s++; break; case 3: s += 2; case 4: s--; break; default: if (s > 1000) s /= 2; }
    }
    return s;
}
int (*table[2])(int) = {fib, walk};
void *work(void *argument) {
    unsigned state = (unsigned)(long)argument;
    long sum = 0;
    for (int round = 0; round < 9000; round++) {
        state = state * 1103515245u + 12345;
        shared[state >> 28] ^= state >> 16;
        sum += table[(state >> 20) & 1]((state >> 24) & 7);
        if ((state & 0xf000) == 0) {
            int v[6];
            for (int i = 0; i < 6; i++) v[i] = shared[(state + i) & 15];
            qsort(v, 6, sizeof *v, compare);
            sum += v[2];
        }
        jmp_buf b;
        if ((state & 0xf0000) == 0) {
            if (setjmp(b) == 0) { if (shared[3] & 1) longjmp(b, 1); } else sum++;
        }
        while ((sum & 31) > 20) sum -= 3;
        if (rand() % 64 == 0) sum ^= 5;
    }
    return (void *)sum;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    abort();
}
"""


def _options(seed: int) -> Options:
    return Options(stamps=5 if seed % 5 == 2 else 0, ring=seed % 7 == 3)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_generated_programs(tmp_path: Path, seed: int, level: str) -> None:
    path, options = tmp_path / "program.c", _options(seed)
    path.write_text(drawn(seed))
    both = run(built(path, [level, "-w"], options), ring=_RING if options.ring else 0)
    assert both.blocks[1]
    assert disagreement(both, options.stamps) == ""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("name", _SIZES)
def test_workloads(tmp_path: Path, name: str, level: str) -> None:
    path = tmp_path / f"{name}.c"
    path.write_text((_WORKLOADS / f"{name}.c").read_text())
    both = run(built(path, [level]), [_SIZES[name]])
    assert both.recording.ending.status == 0
    assert sum(map(len, both.blocks.values())) > 100
    assert disagreement(both) == ""


@pytest.mark.slow
@pytest.mark.parametrize("stamps", [0, 24])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_rings_that_have_lost_the_beginning(tmp_path: Path, level: str, stamps: int) -> None:
    path = tmp_path / "lasting.c"
    path.write_text(_LASTING)
    both = run(built(path, [level, "-w"], Options(stamps, ring=True)), ring=_RING)
    assert [thread.is_whole for thread in both.recording.threads] == [True, False, False]
    assert disagreement(both, stamps) == ""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("ring", [False, True])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", ODD)
def test_odd_programs(tmp_path: Path, name: str, level: str, ring: bool) -> None:
    path = tmp_path / "odd.c"
    path.write_text(ODD[name])
    both = run(built(path, [level, "-w"], Options(ring=ring)), ring=_RING if ring else 0)
    assert both.blocks[1]
    assert disagreement(both) == ""
