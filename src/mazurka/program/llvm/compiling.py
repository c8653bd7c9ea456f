"""The clang of the ``ziglang`` wheel, and LLVM's check of its output.

A file that calls functions of verifiers without declaring them is compiled again with their declarations
(:mod:`mazurka.program.llvm.undeclared`).

Cost: 30 ms for a small file of C, after the first one; seconds where C++ includes much of the standard library.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from mazurka.errors import UsageError, missing_extra
from mazurka.program.llvm.preprocessed import flags_for, source_of
from mazurka.program.llvm.undeclared import declarations_for, prelude

#: Suffixes of sources in C, and in C++.
C_SOURCES: Final = (".c", ".i")
CPP_SOURCES: Final = (".cc", ".cpp", ".cxx", ".ii")

#: Headers of verifiers, for programs that include theirs.
_HEADERS: Final = os.path.join(os.path.dirname(__file__), "headers")

_FLAGS: Final = (
    *("-S", "-emit-llvm", "-g", "-fno-sanitize=undefined", "-fno-stack-protector"),
    "-UNDEBUG",  # which it defines with -O
    *("-target", "x86_64-linux-gnu", "-mcpu=x86_64", "-Wno-unused-command-line-argument"),
    # What gcc accepts with a warning, by default or as -std=gnu89.
    *(f"-Wno-error={each}" for each in ("implicit-function-declaration", "implicit-int", "int-conversion")),
    *("-Wno-error=incompatible-pointer-types", "-Wno-error=return-mismatch", "-idirafter", _HEADERS),
)
_SECONDS: Final = 300.0


def compiled(path: str, flags: Sequence[str]) -> str:
    """The LLVM IR of a file. ``flags`` go to the compiler after ours, so that a ``-O2`` there counts.

    Raises :class:`~mazurka.errors.UsageError` if there is no compiler, or if it finds an error.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise missing_extra("ziglang", "a C program")
    with tempfile.TemporaryDirectory(prefix="mazurka-c-") as folder:
        out, header = os.path.join(folder, "module.ll"), os.path.join(folder, "declarations.h")
        is_cpp = path.endswith(CPP_SOURCES)
        command = [sys.executable, "-m", "ziglang", "c++" if is_cpp else "cc", *_FLAGS, "-O0"]
        command += _in_place_of_libcxx() if is_cpp else []
        command += [*flags, *flags_for(path), source_of(path, folder), "-o", out]
        declared: dict[str, str] = {}
        while True:
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                text = f"the compiler took more than {_SECONDS:g} s"
                raise UsageError("does-not-compile", text, where=path) from None
            lacking = declarations_for(done.stderr)
            if lacking.keys() <= declared.keys():
                break
            if not declared:
                command[-3:-3] = ["-include", header]
            declared = lacking | declared
            with open(header, "w", encoding="utf-8") as stream:
                stream.write(prelude(declared))
        if done.returncode or not os.path.exists(out):
            raise UsageError("does-not-compile", done.stderr.strip() or "the compiler failed", where=path)
        with open(out, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()


@cache
def _in_place_of_libcxx() -> list[str]:
    """The flags for a header in place of libc++'s own, where that is of the version which ours stands for."""
    specification = importlib.util.find_spec("ziglang")
    folders = (specification.submodule_search_locations if specification else None) or []
    for folder in folders:
        header = os.path.join(folder, "lib", "libcxx", "include", "__thread", "poll_with_backoff.h")
        if os.path.exists(header):
            with open(header, encoding="utf-8") as stream:
                return (
                    ["-I" + os.path.join(_HEADERS, "libcxx")] if "__poll_with_backoff_results" in stream.read() else []
                )
    return []


def verified(content: str | bytes, path: str) -> Any:
    """The module that LLVM reads from text or bitcode, and finds to be well-formed.

    Raises :class:`~mazurka.errors.UsageError` if it does not.
    """
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
