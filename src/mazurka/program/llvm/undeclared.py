"""Functions that programs call without declaring them.

Old C lets a call declare its function, as one that returns an ``int``. Tasks for verifiers rely on that for the
functions that their verifiers know. A file that does not declare them gets their declarations, so that a
``__VERIFIER_nondet_long()`` has all its bits and a pointer as a condition is not cut to an ``int``: the compiler names
the functions that are undeclared, and the file is compiled again. A file that declares or defines them itself keeps
its own declarations.

Sources: the rules of SV-COMP (sv-comp.sosy-lab.org, "Task definitions"), the manuals of ESBMC, CBMC, SMACK, GenMC and
Nidhugg.
"""

from __future__ import annotations

import re
from typing import Final

#: What inputs are of, by the end of the name of the function that gives one.
NONDET_TYPES: Final = {
    "bool": "_Bool",
    "char": "char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "unsigned": "unsigned int",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "size_t": "unsigned long",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned int",
    "u64": "unsigned long long",
    "loff_t": "long long",
    "sector_t": "unsigned long",
    "pthread_t": "unsigned long",
    "float": "float",
    "double": "double",
    "pointer": "void *",
    "pchar": "char *",
}

#: The names of such functions before that end.
NONDET_PREFIXES: Final = ("__VERIFIER_nondet_", "__SMACK_nondet_", "nondet_")

#: The functions that say what must hold: only the first argument counts, which may be unknown.
ASSUMPTIONS: Final = (
    *("__VERIFIER_assume", "assume_abort_if_not", "klee_assume", "__ESBMC_assume", "__CPROVER_assume"),
    *("__SMACK_assume", "assume"),
)
ASSERTIONS: Final = ("__VERIFIER_assert", "klee_assert", "__SMACK_assert")
NAMED_ASSERTIONS: Final = ("__ESBMC_assert", "__CPROVER_assert")

SECTION_BEGINS: Final = ("__VERIFIER_atomic_begin", "__ESBMC_atomic_begin", "__CPROVER_atomic_begin")
SECTION_ENDS: Final = ("__VERIFIER_atomic_end", "__ESBMC_atomic_end", "__CPROVER_atomic_end")

#: Functions that verifiers know: their declarations.
DECLARATIONS: Final = {
    **{name: f"void {name}(_Bool);" for name in (*ASSUMPTIONS, *ASSERTIONS)},
    **{name: f"void {name}(_Bool, const char *);" for name in NAMED_ASSERTIONS},
    **{name: f"void {name}(void);" for name in (*SECTION_BEGINS, *SECTION_ENDS)},
    **{name: f"void {name}();" for name in ("reach_error", "__VERIFIER_error")},
    **{
        prefix + name: f"{type_} {prefix}{name}(void);"
        for prefix in NONDET_PREFIXES
        for name, type_ in NONDET_TYPES.items()
    },
}

_UNDECLARED: Final = re.compile(r"(?:call to undeclared function|use of undeclared identifier) '(\w+)'")
_VOID_LATER: Final = re.compile(
    r"error: conflicting types for '(\w+)'\n(?:(?!.*(?:error|warning): ).*\n)*?.*note: previous implicit declaration"
)


def declarations_for(diagnostics: str) -> dict[str, str]:
    """The declarations, by name, that a file lacks by what the compiler says of it.

    A function that a call has declared, and that is then defined otherwise, is taken for one without a result: gcc
    accepts these.
    """
    found = {
        name: DECLARATIONS[name] for name in dict.fromkeys(_UNDECLARED.findall(diagnostics)) if name in DECLARATIONS
    }
    return found | {name: f"void {name}();" for name in _VOID_LATER.findall(diagnostics)}


def prelude(declarations: dict[str, str]) -> str:
    """A header of these declarations, for C and C++."""
    lines = "\n".join(declarations.values())
    begin, end = '#define _Bool bool\nextern "C" {', "}\n#undef _Bool"
    return f"#ifdef __cplusplus\n{begin}\n#endif\n{lines}\n#ifdef __cplusplus\n{end}\n#endif\n"
