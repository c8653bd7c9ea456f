"""Accesses at addresses that depend on unknown inputs: the values that programs can compute are those that the native
ones compute for some inputs, with and without optimisation.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.unit.c_programs import explored

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings

_PROGRAMS: Final = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 4

_HEAD: Final = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static const short table[16] = {5, -3, 7, 7, 7, 0, 1, 2, 30, 4, -1, 12, 8, 8, 9, 100};
struct pair { int a; short b; char c; };
int numbers[8] = {1, 2, 3, 5, 8, 13, 21, 34};
long longs[4] = {-1, 1L << 40, 7, 0};
struct pair pairs[5] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, -2, -3}};
char text[12] = "hello there";
int *places[4] = {&numbers[0], &numbers[6], &numbers[7], &numbers[2]};
int count = 3;
"""

_STATEMENTS: Final = (
    "x += table[{i}];",
    "x ^= numbers[{i} & 7];",
    "numbers[{i} & 7] = {v};",
    "numbers[table[{i}] & 7] += {v};",
    "x += (int)longs[{i} & 3];",
    "longs[{i} & 3] = (long)x << {k};",
    "pairs[{i} % 5].b = {v}; x += pairs[{i} % 5].a;",
    "pairs[{i} % 5].a += pairs[{k}].b;",
    "x += pairs[{i} % 5].c;",
    "x += text[{i} % 11];",
    "text[{i} % 5] = {v};",
    "{{ int own[4] = {{1, 2, 3, 4}}; own[{i} & 3] = x; own[{i} & 1]++; x += own[{k} & 3]; }}",
    "x += *places[{i} & 3];",
    "*places[{i} & 3] = {v};",
    "places[{i} & 3] = &count; count += {k};",
    "{{ short part; memcpy(&part, (char *)numbers + ({i} & 7), sizeof part); x += part; }}",
    "if (x > {k}) x -= numbers[(x + {i}) & 7];",
    "for (int j = 0; j < 3; j++) x += table[({i} + j) & 15];",
    "switch (table[{i}] & 3) {{ case 0: x++; break; case 1: x += 2; break; default: x -= {k}; }}",
)

_INDICES: Final = ("n", "m", "(n ^ m)", "((n + {k}) & 15)", "(15 - n)", "((n * 3 + m) & 15)", "((unsigned char)x & 15)")


def _body(draw: random.Random) -> str:
    lines = []
    for _ in range(draw.randint(2, 4)):
        index = draw.choice(_INDICES).format(k=draw.randint(1, 3))
        value = draw.choice(("x", "n", "42", "m * 2", "numbers[m & 7]"))
        lines.append(draw.choice(_STATEMENTS).format(i=index, v=value, k=draw.randint(0, 3)))
    ending = "for (int j = 0; j < 8; j++) x = x * 3 + numbers[j]; return (x + text[2]) & 63;"
    return "int compute(unsigned char n, unsigned char m) { int x = 0; " + "\n".join([*lines, ending]) + " }\n"


def _native(folder: Path, body: str) -> dict[tuple[int, int], int]:
    """The result for each pair of inputs, each computed in a process of its own."""
    source, program = folder / "native.c", folder / "native"
    source.write_text(
        f"{_HEAD}#include <sys/wait.h>\n#include <unistd.h>\n{body}"
        "int main(void) { for (int n = 0; n < 16; n++) for (int m = 0; m < 4; m++) {"
        " if (!fork()) _exit(compute(n, m)); int status; wait(&status);"
        ' printf("%d %d %d\\n", n, m, WEXITSTATUS(status));'
        " fflush(stdout); } }"
    )
    command = [sys.executable, "-m", "ziglang", "cc", "-O0", "-fwrapv", "-w", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    rows = [tuple(map(int, line.split())) for line in output.splitlines()]
    return {(n, m): result for n, m, result in rows}


@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_the_results_are_those_of_native_programs(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    body = _body(draw)
    native = _native(tmp_path, body)
    occurring = sorted(set(native.values()))
    wanted = {draw.choice(occurring), draw.choice([each for each in range(64) if each not in occurring])}
    for result in wanted:
        source = tmp_path / f"checked{result}.c"
        source.write_text(
            f"{_HEAD}{body}void *idle(void *p) {{ return p; }}\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, idle, 0);"
            "unsigned char n = __VERIFIER_nondet_uchar() & 15, m = __VERIFIER_nondet_uchar() & 3;"
            f"assert(compute(n, m) != {result}); pthread_join(t, 0); }}"
        )
        for level in ("-O0", "-O2"):
            program = CProgram(str(source), (level, "-fwrapv", "-w"), (), ProgramSettings())
            outcome = explored(program, "unfolding")
            failing = {pair for pair, value in native.items() if value == result}
            assert isinstance(outcome.verdict, Violation if failing else Verified), (level, outcome.verdict)
            for each in outcome.found:
                inputs = dict(each.inputs)
                assert (inputs["nondet_uchar()"] & 15, inputs.get("nondet_uchar() #2", 0) & 3) in failing
