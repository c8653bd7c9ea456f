"""From C source to the text of LLVM IR, by the clang of the ``ziglang`` wheel; llvmlite verifies the text.

Cost: 30 ms for a small file, after the first one.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, Final

from mazurka.errors import UsageError, missing_extra

#: Files that a compiler is needed for, and files that are LLVM IR already.
SOURCES: Final = (".c", ".i", ".cc", ".cpp", ".cxx")
IR: Final = (".ll", ".bc")

_FLAGS: Final = (
    *("-S", "-emit-llvm", "-g", "-fno-sanitize=undefined", "-fno-stack-protector", "-fno-exceptions"),
    *("-target", "x86_64-linux-gnu", "-mcpu=x86_64", "-Wno-unused-command-line-argument"),
)
_SECONDS: Final = 300.0


def ir_of(paths: Sequence[str], flags: Sequence[str]) -> str:
    """The text of the LLVM IR of files that make up one program. ``flags`` go to the compiler after ours, so that a
    ``-O2`` there counts.

    Raises :class:`~mazurka.errors.UsageError` if there is no compiler, or if the compiler, LLVM or its linker finds an
    error.
    """
    whole = None
    for path in paths:
        module = _module(path, flags)
        if whole is None:
            whole = module
            continue
        try:
            whole.link_in(module)
        except RuntimeError as error:
            raise UsageError("does-not-link", str(error).strip(), where=path) from None
    return str(whole)


def _module(path: str, flags: Sequence[str]) -> Any:
    """The module of one file."""
    suffix = os.path.splitext(path)[1]
    if suffix in SOURCES:
        return _verified(_compiled(path, flags), path)
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise UsageError("no-such-file", error.strerror or str(error), where=path) from None
    return _verified(content if suffix == ".bc" else content.decode("utf-8", "surrogateescape"), path)


def _compiled(path: str, flags: Sequence[str]) -> str:
    if importlib.util.find_spec("ziglang") is None:
        raise missing_extra("ziglang", "a C program")
    with tempfile.TemporaryDirectory(prefix="mazurka-c-") as folder:
        out = os.path.join(folder, "module.ll")
        command = [sys.executable, "-m", "ziglang", "c++" if path.endswith(SOURCES[2:]) else "cc", *_FLAGS, "-O0"]
        command += [*flags, os.path.abspath(path), "-o", out]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UsageError("does-not-compile", f"the compiler took more than {_SECONDS:g} s", where=path) from None
        if done.returncode or not os.path.exists(out):
            raise UsageError("does-not-compile", done.stderr.strip() or "the compiler failed", where=path)
        with open(out, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()


def _verified(content: str | bytes, path: str) -> Any:
    """The module that LLVM reads, and finds to be well-formed."""
    try:
        llvm: Any = importlib.import_module("llvmlite.binding")
    except ImportError:
        raise missing_extra("llvmlite", "a C program") from None
    try:
        module: Any = llvm.parse_bitcode(content) if isinstance(content, bytes) else llvm.parse_assembly(content)
        module.verify()
    except RuntimeError as error:
        raise UsageError("malformed-llvm-ir", str(error).strip(), where=path) from None
    return module
