"""Functions that C programs call without declaring them: those of verifiers, and others in old C."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Verified
from mazurka.program.llvm.library.registry import LIBRARY
from mazurka.program.llvm.program import CProgram
from mazurka.program.llvm.undeclared import DECLARATIONS
from mazurka.program.protocol import Plan
from mazurka.program.settings import ProgramSettings


@pytest.mark.parametrize("name", DECLARATIONS)
def test_every_function_with_a_declaration_is_known(name: str) -> None:
    assert LIBRARY.function(name) is not None


def _main(body: str, more: str = "") -> str:
    return f"{more}\nint main() {{ {body} return 0; }}\n"


HOLDING = {
    "an assumption that does not hold": "__VERIFIER_assume(0); reach_error();",
    "a wide condition": "__VERIFIER_assume(1LL << 40); __VERIFIER_assert(1LL << 40);",
    "a pointer": 'int x; assume_abort_if_not(&x); __ESBMC_assert(&x, "it is there");',
    "a section": "__VERIFIER_atomic_begin(); __VERIFIER_atomic_end();",
    "one of ESBMC's": '__ESBMC_atomic_begin(); __ESBMC_atomic_end(); __ESBMC_assume(0); __ESBMC_assert(0, "");',
    "one of CBMC's": "__CPROVER_atomic_begin(); __CPROVER_atomic_end(); __CPROVER_assume(0); reach_error();",
    "all bits of an input": "long x = __VERIFIER_nondet_long(); __VERIFIER_assume(x > 5000000000); assert(x >> 32);",
    "a bool": "int x = __VERIFIER_nondet_bool(); assert(x == 0 || x == 1);",
    "an unsigned one": "assert(__VERIFIER_nondet_uint() >= 0); assert(__VERIFIER_nondet_uchar() < 256);",
    "one of SMACK's": "int x = __SMACK_nondet_int(); assume(x > 3); assert(x != 2);",
    "another one": "int x = nondet_int(); __ESBMC_assume(x > 3); assert(x != 2);",
}
FAILING = {
    "an error": ("reach_error();", "calls reach_error()"),
    "its old name": ("__VERIFIER_error();", "calls reach_error()"),
    "an assertion": ("__VERIFIER_assert(0);", "__VERIFIER_assert fails"),
    "one of ESBMC's": ('__ESBMC_assert(0, "never");', "assertion failed: never"),
    "one of CBMC's": ('__CPROVER_assert(0, "never");', "assertion failed: never"),
    "a high bit of an input": (
        "if (__VERIFIER_nondet_ulong() >> 63) reach_error();",
        "calls reach_error()",
    ),
    "a wide condition": ("__VERIFIER_assume(1LL << 40); reach_error();", "calls reach_error()"),
    "a pointer": ("int x; __VERIFIER_assume(&x); reach_error();", "calls reach_error()"),
}


def _found(program: CProgram) -> list[str]:
    """The failures for one of the values of each input, and for all its bits set."""
    texts = []
    for value in (0, (1 << 64) - 1, 6_000_000_000, 7):
        program.prepare()
        program.inputs = dict.fromkeys(("nondet_long()", "nondet_int()", "nondet_ulong()"), value)
        texts += [each.failure.message for each in explored(program).found]
    return texts


@pytest.mark.parametrize("suffix", [".c", ".cpp"])
@pytest.mark.parametrize("name", HOLDING)
def test_what_holds_holds(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"program{suffix}"
    path.write_text("#include <assert.h>\n" + _main(HOLDING[name]))
    assert _found(CProgram(str(path), (), (), ProgramSettings())) == []


@pytest.mark.parametrize("suffix", [".c", ".cpp"])
@pytest.mark.parametrize("name", FAILING)
def test_what_fails_fails(name: str, suffix: str, tmp_path: Path) -> None:
    body, message = FAILING[name]
    path = tmp_path / f"program{suffix}"
    path.write_text(_main(body))
    assert set(_found(CProgram(str(path), (), (), ProgramSettings()))) == {message}


def test_declarations_of_the_program_are_kept(tmp_path: Path) -> None:
    own = "extern _Bool __VERIFIER_nondet_int(); static void __VERIFIER_assert(int x) { if (!x) exit(4); }\n"
    program = opened(tmp_path, _main("assert(__VERIFIER_nondet_int() < 2); __VERIFIER_assert(0);", own))
    (failure,) = program.execute(Plan()).failures
    assert failure.message == "the program exits with 4"


ATOMIC = """
int count;
void *work(void *unused) { __VERIFIER_atomic_add(1); return 0; }
void __VERIFIER_atomic_add(int by) { int seen = count; count = seen + by; }
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(count == 2);
    return 0;
}
"""


def test_a_section_may_be_called_before_it_is_defined(tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, ATOMIC)).verdict, Verified)
    plain = ATOMIC.replace("__VERIFIER_atomic_add", "add")
    (failing,) = explored(opened(tmp_path, plain)).found
    assert failing.failure.message == "assertion failed: count == 2"


OLD = """
total;
add(by) { extern more(); auto int seen = total; total = seen + by; return more(by); }
more(by) int by; { return by ? later(by) : 0; }
void later(int by) { total += by; }
char *text(void) { int *place = &total; return place; }
main() { int zero = (void *)0; add(2); return total - 4 + zero; }
"""


def test_old_c_is_compiled_as_gcc_does_with_warnings(tmp_path: Path) -> None:
    for flags in ((), ("-std=gnu89",), ("-std=gnu99",)):
        run = opened(tmp_path, OLD.replace("? later(by) : 0", "? (later(by), 0) : 0"), *flags).execute(Plan())
        assert not run.failures
        assert not run.truncated


def test_an_unknown_function_that_is_not_declared_ends_the_execution(tmp_path: Path) -> None:
    run = opened(tmp_path, _main("if (frobnicate(1)) return 0;")).execute(Plan())
    assert run.truncated
    assert "frobnicate" in run.truncated


HEADERS = {
    "genmc.h": "int x = 1; __VERIFIER_loop_begin(); await_while (x != 1); __VERIFIER_assume(x == 2); assert(0);",
    "smack.h": "int x = __VERIFIER_nondet_int(); assume(x == 2); assert(x == 2);",
}


@pytest.mark.parametrize("header", HEADERS)
def test_headers_of_verifiers_are_there(header: str, tmp_path: Path) -> None:
    program = opened(tmp_path, _main(HEADERS[header], f"#include <{header}>"))
    assert _found(program) == []
    (tmp_path / header).write_text("#error its own\n")
    with pytest.raises(Exception, match="its own"):
        opened(tmp_path, _main("", f"#include <{header}>"), f"-I{tmp_path}").prepare()
