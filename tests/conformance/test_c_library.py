"""Programs that call the C library print the same translated and compiled to native code, with the C library of the
machine. Each file in c_library/ is such a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings

_FLAGS = ("-w", "-D_GNU_SOURCE", "-fwrapv")
_SOURCES = sorted((Path(__file__).parent / "c_library").glob("*.c"))


@pytest.mark.sampled
@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: str(source.stem))
def test_output_is_that_of_the_native_program(source: Path, tmp_path: Path) -> None:
    native = tmp_path / "native"
    compiler = (sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined")
    subprocess.run([*compiler, *_FLAGS, str(source), "-o", str(native)], check=True, capture_output=True)
    wanted = subprocess.run([str(native)], check=True, capture_output=True, text=True).stdout
    for level in ("-O0", "-O2"):
        run = _executed(CProgram(str(source), (level, *_FLAGS), (), ProgramSettings()))
        assert not run.failures, (level, run.failures)
        assert not run.truncated, (level, run.truncated)
        assert run.output == wanted, level


def _executed(program: CProgram) -> Run:
    """One execution, with the scheduling points that executions before it may have found."""
    run = program.execute(Plan())
    while run.found_new_points:
        run = program.execute(Plan())
    return run
