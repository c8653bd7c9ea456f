"""From C and C++ source to the text of LLVM IR: files are compiled and linked, and C++ loses
functions that are never called.

Cost: that of :mod:`mazurka.program.llvm.compiling`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mazurka.errors import UsageError
from mazurka.program.llvm.compiling import C_SOURCES, CPP_SOURCES, compiled, verified
from mazurka.program.llvm.standard_library import link_standard_library

#: Files that a compiler is needed for, and files that are LLVM IR already.
SOURCES: Final = (*C_SOURCES, *CPP_SOURCES)
IR: Final = (".ll", ".bc")


def ir_of(paths: Sequence[str], flags: Sequence[str], of_files: Mapping[str, Sequence[str]] | None = None) -> str:
    """The text of the LLVM IR of files that make up one program; ``flags`` go to the compiler, after those that
    ``of_files`` has for a file.

    Raises :class:`~mazurka.errors.UsageError` if there is no compiler, or if the compiler, LLVM or its linker finds an
    error.
    """
    whole = None
    for path in paths:
        module = _module(path, (*(of_files or {}).get(path, ()), *flags))
        if whole is None:
            whole = module
            continue
        try:
            whole.link_in(module)
        except RuntimeError as error:
            raise UsageError("does-not-link", str(error).strip(), where=path) from None
    if any(path.endswith(CPP_SOURCES) for path in paths):
        link_standard_library(whole)
        _prune(whole)
    return str(whole)


def _prune(module: Any) -> None:
    """Drop the functions and variables that nothing reachable from ``main`` uses: headers of C++ define thousands."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != "main" and not value.name.startswith("llvm."):
            value.linkage = "internal"
    llvm.initialize_all_targets()
    machine = llvm.Target.from_triple(module.triple).create_target_machine()
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.add_strip_dead_prototype_pass()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))


def _module(path: str, flags: Sequence[str]) -> Any:
    """The module of one file."""
    suffix = os.path.splitext(path)[1]
    if suffix in SOURCES:
        return verified(compiled(path, flags), path)
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise UsageError("no-such-file", error.strerror or str(error), where=path) from None
    return verified(content if suffix == ".bc" else content.decode("utf-8", "surrogateescape"), path)
