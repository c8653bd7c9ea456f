"""From a C program to an executable that records its paths.

The compiler's own output is what is instrumented, after all of its optimisations; what follows is code generation, at
the level that the program was compiled with. So loops stay vectorised, and the blocks that are recorded are those of
the text in the recording.

Cost: that of compiling the program twice, and some 0.2 s for linking.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import Any, Final

from mazurka.errors import UsageError
from mazurka.flow.instrument import Options, instrumented
from mazurka.flow.plan import Plan
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.building import ir_of
from mazurka.program.llvm.compiling import CPP_SOURCES
from mazurka.program.llvm.ir.reading import read_module

_PASSES: Final = ("always_inliner", "sroa", "instruction_combine")
_LEVELS: Final = {"-O0": 0, "-O1": 1, "-O2": 2}
_LINK: Final = (
    "-target",
    "x86_64-linux-gnu",
    "-O2",
    "-fno-sanitize=undefined",
    "-fno-stack-protector",
    "-lpthread",
    "-lm",
)
_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class Source:
    """A program: its files (the first one is the target), the flags of the compiler, and its LLVM IR."""

    files: tuple[str, ...]
    flags: tuple[str, ...]
    text: str
    level: int

    @property
    def identity(self) -> str:
        """The hash of its LLVM IR and flags."""
        return hashlib.sha256("\0".join((self.text, *self.flags)).encode("utf-8", "surrogateescape")).hexdigest()


def opened(target: str, others: Sequence[str], flags: Sequence[str]) -> Source:
    """The program of these files; raises :class:`~mazurka.errors.UsageError` if it can't be compiled or recorded."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise UsageError("not-recordable", "control flow is recorded on Linux on x86-64 only", where=target)
    if "::" in target:
        raise UsageError("no-such-target", "a C program is recorded whole, from its main()", where=target)
    for path in (target, *others):
        if path.endswith(CPP_SOURCES):
            raise UsageError("not-recordable", "control flow is recorded of C, not of C++", where=path)
        if not os.path.isfile(path):
            raise UsageError("no-such-file", "there is no such file", where=path)
    levels = [flag for flag in flags if flag.startswith("-O")]
    if levels and levels[-1] not in _LEVELS:
        raise UsageError("not-recordable", f"{levels[-1]} isn't recorded", where=target, hint="-O0, -O1 and -O2 are")
    text = ir_of((target, *others), flags)
    return Source((target, *others), tuple(flags), text, _LEVELS[levels[-1]] if levels else 0)


def planned(source: Source, elides: bool) -> Plan:
    """The plan of a program; raises :class:`~mazurka.errors.UsageError` for what can't be recorded."""
    try:
        return Plan(read_module(source.text, source.files[0]), elides)
    except UsageError as error:
        error.where = error.where or source.files[0]
        raise


def build(source: Source, plan: Plan, options: Options, output: str) -> str:
    """Make the executable ``output`` that records the program; returns its build id, a hash of it."""
    return link(instrumented(source.text, plan, options), source.level, output)


def link(text: str, level: int, output: str, *more: str) -> str:
    """Make an executable of a module's text, the runtime of recordings, and ``more`` sources of C; returns a hash of
    it."""
    with open(f"{output}.o", "wb") as stream:
        stream.write(_object(text, level))
    with as_file(files("mazurka.flow") / "runtime.c") as runtime:
        command = [sys.executable, "-m", "ziglang", "cc", *_LINK, f"{output}.o", str(runtime), *more, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    os.remove(f"{output}.o")
    if done.returncode:
        missing = "; ".join(dict.fromkeys(re.findall(r"undefined symbol: (\S+)", done.stderr)))
        problem = f"there is no function {missing}" if missing else done.stderr.strip()
        raise UsageError("does-not-link", problem, hint="name the program's other files after --")
    with open(output, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


def _object(text: str, level: int) -> bytes:
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    module.verify()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="x86-64", opt=level, reloc="pic", codemodel="small")
    passes = llvm.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level)))
    made: bytes = machine.emit_object(module)
    return made
