"""From the text of LLVM IR to functions that Python can call, by llvmlite's just-in-time compiler.

Cost: 10 ms for a small function, mostly for LLVM's passes.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

#: Functions that Python enters: they take a label, and are called with the interpreter's lock held, since they take
#: milliseconds at most.
_ENTERED: Final = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)

#: How much code generation optimises, and the passes before it: all of LLVM's would take five times as long.
_LEVEL: Final = 1
_PASSES: Final = ("always_inliner", "sroa", "sccp", "simplify_cfg", "instruction_combine", "simplify_cfg")


def compiled(text: str, names: Iterable[str]) -> tuple[Any, dict[str, Callable[[int], int]]]:
    """The functions of these names, and the object that has to be kept for as long as they are called."""
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=_LEVEL)
    passes = llvm.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=_LEVEL)))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine, {name: _ENTERED(engine.get_function_address(name)) for name in names}


@cache
def _llvm() -> Any:
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm
