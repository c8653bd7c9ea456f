"""CPython's own tests of the language, instrumented, inside a run with several threads: the same results as plain.

They are taken from the running interpreter's `test` package, so the tests are those of its version; where the
package is not installed there is nothing to compare with, and the list of files is empty. Each file runs in a process
of its own, plain and instrumented (``cpython_test_file.py``): forks of two that have imported the modules that are
always needed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded

FILES = """
    test_augassign test_binop test_bool test_builtin test_class test_collections test_compare test_contains
    test_contextlib test_copy test_coroutines test_dataclasses test_decorators test_defaultdict test_deque test_descr
    test_dict
    test_dictviews test_dynamicclassattribute test_enum test_enumerate test_exception_group test_exceptions
    test_extcall test_fstring test_funcattrs test_functools test_generators test_genericclass test_genexps test_global
    test_grammar test_heapq test_int_literal test_iter test_itertools test_keywordonlyarg test_lambda
    test_list test_listcomps test_metaclass test_named_expressions test_opcodes test_operator
    test_ordered_dict test_patma test_pow test_property test_raise test_richcmp test_scope test_setcomps
    test_slice test_sort test_string test_super test_syntax test_tuple test_type_aliases test_type_params
    test_typechecks test_unpack test_unpack_ex test_userdict test_userlist test_with test_yield_from
""".split()

SOURCE = Path(__file__).resolve().parents[2]

#: The modules that processes import before they run a file: with Mazurka among them, and without.
IMPORTED = {
    "instrumented": ("mazurka.program.python.program", "test.support"),
    "plain": ("test.support",),
}


def present() -> list[str]:
    if importlib.util.find_spec("test") is None:
        return []
    return [name for name in FILES if importlib.util.find_spec(f"test.{name}") is not None]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Any]]:
    started = {
        mode: preloaded.start(("unittest", "importlib.util", *names), fixed_hashing=True, flags=("-W", "ignore"))
        for mode, names in IMPORTED.items()
    }
    yield started
    for server in started.values():
        server.end()


@pytest.mark.sampled
@pytest.mark.parametrize("name", present())
def test_same_results(name: str, servers: dict[str, Any], tmp_path: Path) -> None:
    known = results(servers["plain"], name, "plain", tmp_path)
    assert results(servers["instrumented"], name, "instrumented", tmp_path) == known


def results(server: Any, name: str, mode: str, folder: Path) -> Any:
    environment = preloaded.environment(PYTHONPATH=os.pathsep.join([str(SOURCE / "src"), str(SOURCE)]))
    command = [sys.executable, "-m", "tests.conformance.cpython_test_file", name, mode]
    done = server.run(command, folder, environment, 120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
