"""The speed of C programs: instructions of LLVM IR a second between visible operations, in Python and in native code,
and executions a second of tiny programs. Seconds are those of the processor.

The instructions are those of the loops, as clang writes them at ``-O0``, times the passes. A program is executed until
native code is used, and then measured.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import Row, Settings, middle
from mazurka.explore.explorer import Budget, Explorer
from mazurka.program.llvm.building import ir_of
from mazurka.program.llvm.ir.reading import read_module
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan
from mazurka.program.runtime.task import Limits
from mazurka.program.settings import ProgramSettings

_PASSES: Final = 400_000

#: Programs by name, with the numbers of passes of the loop of main().
_LOOPS: Final = {
    "arithmetic": """
int main(void) {
    unsigned x = 1;
    for (int i = 0; i < PASSES; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; x += i; }
    return x == 77;
}""",
    "calls": """
static unsigned mix(unsigned x) { x ^= x << 13; x ^= x >> 17; return x ^ x << 5; }
int main(void) {
    unsigned x = 1;
    for (int i = 0; i < PASSES; i++) x = mix(x) + i;
    return x == 77;
}""",
    "a table, before there are threads": """
int table[1024];
int main(void) {
    long sum = 0;
    for (int i = 0; i < PASSES; i++) { table[i & 1023] += i; sum += table[(i * 7) & 1023]; }
    return sum == 77;
}""",
    "floats beside a thread": """
#include <pthread.h>
void *work(void *unused) { return 0; }
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    double sum = 0;
    for (int i = 0; i < PASSES; i++) sum = sum * 0.5 + i;
    pthread_join(other, 0);
    return sum == 77;
}""",
}


#: A program whose threads each increment a number.
_TINY: Final = """
#include <pthread.h>
int count;
void *work(void *unused) {
    int seen = count;
    count = seen + 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
#if THREADS == 4
    pthread_t c, d;
    pthread_create(&c, 0, work, 0);
    pthread_create(&d, 0, work, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}"""
_EXECUTIONS: Final = 5_000


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        for name, text in _LOOPS.items():
            source.write_text(text)
            for way, native_after in (("in Python", math.inf), ("natively", 0.0)):
                passes = _PASSES if native_after == 0 else _PASSES // 10
                program = _program(source, passes, native_after)
                count = _instructions(source) * passes
                program.execute(Plan())
                speeds = [count / _seconds(program) / 1e6 for _ in range(settings.repetitions)]
                is_fast = max(speeds) >= 100 if native_after == 0 else None
                demanded = "at least 100 M/s" if native_after == 0 else ""
                yield Row(f"{name}, {way}", demanded, *middle(speeds, " M/s"), holds=is_fast)
        source.write_text(_TINY)
        for threads in (2, 4):
            for strategy in ("random", "dpor"):
                speeds = [_executions(source, threads, strategy) for _ in range(settings.repetitions)]
                is_asked = threads == 2 and strategy == "random"
                is_fast = max(speeds) >= 10_000 if is_asked else None
                demanded = "at least 10,000/s" if is_asked else ""
                name = f"executions of {threads} threads, {strategy}"
                yield Row(name, demanded, *middle(speeds, "/s", 5), holds=is_fast)


def _executions(source: Path, threads: int, strategy: str) -> float:
    """Executions a second of searches, whose first ones learn the points, for about so many in all."""
    program = CProgram(str(source), (f"-DTHREADS={threads}",), (), ProgramSettings())
    Explorer(program, strategy, stop_at_first=False, budget=Budget(10)).run()
    done = 0
    begun = time.process_time()
    while done < _EXECUTIONS:
        done += Explorer(program, strategy, stop_at_first=False, budget=Budget(_EXECUTIONS - done)).run().executions
    return done / (time.process_time() - begun)


def _program(source: Path, passes: int, native_after: float) -> CProgram:
    limits = ProgramSettings(limits=Limits(passes=passes * 10))
    return CProgram(str(source), (f"-DPASSES={passes}",), (), limits, native_after=native_after)


def _seconds(program: CProgram) -> float:
    begun = time.process_time()
    run = program.execute(Plan())
    seconds = time.process_time() - begun
    assert not run.truncated, run.truncated
    return seconds


def _instructions(source: Path) -> int:
    """The instructions of one pass: those of main()'s loop, and of the functions that it calls."""
    module = read_module(ir_of((str(source),), ("-DPASSES=1",)), str(source))
    blocks = module.functions["main"].blocks
    loop = [each for block in blocks[1:-1] for each in block.instructions]
    called = [module.functions["mix"]] if "mix" in module.functions else []
    return len(loop) + sum(len(block.instructions) for function in called for block in function.blocks)
