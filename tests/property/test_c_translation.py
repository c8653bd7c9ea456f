"""Generated C programs print the same whether they are translated, from code at each level of optimisation, or compiled
by the compiler to native code and run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.arithmetic_c import random_source

from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan
from mazurka.program.settings import ProgramSettings

_PROGRAMS = 1_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else some_of(10)
_SHARE = some_of(5)


def _native(source: Path) -> str:
    program = source.with_suffix("")
    command = [sys.executable, "-m", "ziglang", "cc", "-O1", "-fwrapv", "-w", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_translated_programs_print_what_native_ones_do(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + _SHARE):
        source = tmp_path / f"drawn{seed}.c"
        source.write_text(random_source(seed))
        wanted = _native(source)
        for level in ("-O0", "-O1", "-O2"):
            run = CProgram(str(source), (level, "-fwrapv", "-w"), (), ProgramSettings()).execute(Plan())
            assert not run.failures, (seed, level, run.failures)
            assert not run.truncated, (seed, level)
            assert run.output == wanted, (seed, level)
