"""One file of CPython's own tests, plain or instrumented: ``python -m tests.conformance.cpython_test_file NAME MODE``.

``test_python_semantics_cpython.py`` compares its results. It prints JSON: how many tests ran, and which did not pass.
``plain`` imports nothing of Mazurka's.

Left out by name are tests of behaviour that a run does not promise:

- an object that only a dead container holds, or one without room for weak references, may live on until hooks notice it
  (``test_slots``, ``test_ref_counting_behavior``, ``test_container_iterator``);
- replacing ``builtins.len`` (``test_lru_reentrancy_with_len``): the runtime uses it in the middle of things;
- a class's dictionary whose keys run code when compared (``test_type_lookup_mro_reference``): hooks look there, too;
- a partial of a partial object without attributes, of a type made anew (``test_nested_optimization``): to look at an
  object's attributes makes their dictionary;
- that an address is used again (``test_tuple_reuse``): ``id`` numbers objects in a run;
- real threads of the test's own beside the run (``test_unique_composite``);
- running out of stack at an exact depth (``test_recursion_in_except_handler``; ``test_lru_recursion``, which takes as
  many calls of C code as CPython 3.12 allows): hooks need a frame of it.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
import types
import unittest
from typing import Any

LEFT_OUT = {
    "test_slots",
    "test_container_iterator",
    "test_ref_counting_behavior",
    "test_type_lookup_mro_reference",
    "test_recursion_in_except_handler",
    "test_lru_recursion",
    "test_lru_reentrancy_with_len",
    "TestPartialC.test_nested_optimization",
    "test_tuple_reuse",
    "test_unique_composite",
    # These are only slow: millions of accesses each.
    "test_wrapper_segfault",
    "test_combinations_with_replacement",
    "test_combinatorics",
    "test_permutations",
    "test_product",
    "test_exhaustive_sort_nlargest",
    "test_long_steadystate_queue_popleft",
    "test_long_steadystate_queue_popright",
    "test_deque.TestBasic.test_index",
}

#: Tests with thousands of cases each, or ten million items, or that solve puzzles (``conjoin``): only run by ``make
#: test-long``. Their neighbours check the same in fewer cases.
LARGE = {
    "TestBasic.test_big_queue_popleft",
    "TestBasic.test_big_queue_popright",
    "TestBasic.test_big_stack_left",
    "TestBasic.test_big_stack_right",
    "CPythonBuiltinDictTests.test_highly_nested",
    "CPythonOrderedDictTests.test_highly_nested",
    "CPythonOrderedDictSubclassTests.test_highly_nested",
    "TestCounter.test_inplace_operations",
    "test_push_pop",
    "conjoin",
    "test_excessive_nesting",
    "test_negative_exponent",
    "test_merge_stability",
    "test_long_chain_of_empty_iterables",
    "test_multiset_operations",
    "test_multiset_operations_equivalent_to_set_operations",
    "TestNamedTuple.test_odd_sizes",
}

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_LEFT_OUT_ENDS = tuple(f".{name}" for name in (LEFT_OUT if _LONG else LEFT_OUT | LARGE))


def run_file(name: str, mode: str) -> dict[str, Any]:
    """The results of a test file: how many ran, and which did not pass."""
    suite = unittest.TestSuite()
    module = load(name, mode == "instrumented")
    tests = flat(unittest.defaultTestLoader.loadTestsFromModule(module))
    suite.addTests(each for each in tests if not each.id().endswith(_LEFT_OUT_ENDS))
    result = in_a_run(suite) if mode == "instrumented" else unittest.TextTestRunner(io.StringIO()).run(suite)
    return {"run": result.testsRun, "bad": sorted(str(each) for each, _ in result.failures + result.errors)}


def flat(suite: Any) -> list[unittest.TestCase]:
    return [each for part in suite for each in flat(part)] if isinstance(suite, unittest.TestSuite) else [suite]


def load(name: str, instrumented: bool) -> types.ModuleType:
    """The module, as its own import would make it, from instrumented code."""
    spec = importlib.util.find_spec(f"test.{name}")
    assert spec is not None
    assert spec.loader is not None
    if not instrumented:
        return importlib.import_module(spec.name)
    from mazurka.program.python.instrument import loader
    from mazurka.program.python.semantics import hooks

    hooks.install()
    loader.Loader([], [spec.name]).install()
    return importlib.import_module(spec.name)


def in_a_run(suite: unittest.TestSuite) -> unittest.TestResult:
    """Run the tests in a runtime's main thread while another thread waits, and garbage is collected on request only."""
    from mazurka.program.protocol import Plan
    from mazurka.program.python import activation, primitives
    from mazurka.program.python.isolation import state
    from mazurka.program.python.semantics import ends_of_objects, hooks
    from mazurka.program.runtime import runtime, task
    from mazurka.trace.event import Op

    running = runtime.Runtime(Plan(), task.Learned(), task.Limits(steps=10**9, passes=10**9, seconds=600))

    class Result(unittest.TextTestResult):
        def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802  # unittest's name
            running.log.clear()
            running.touched.clear()
            ends_of_objects._executions.clear()  # they refer to the log
            super().addSuccess(test)

    outcome: list[Any] = []

    def main() -> None:
        running.fork(lambda: running.block(Op.READ, ("idle",), lambda: bool(outcome)), daemon=False)
        outcome.append(unittest.TextTestRunner(io.StringIO(), resultclass=Result).run(suite))

    release_collector = state.hold_collector()
    hooks.restart(running)
    primitives.begin(running)
    activation.activate(running)
    running.run(main)
    hooks.finish(running)
    activation.activate(None)
    primitives.end()
    release_collector()
    assert outcome, running.truncated
    result: unittest.TestResult = outcome[0]
    return result


if __name__ == "__main__":
    print(json.dumps(run_file(sys.argv[1], sys.argv[2])))
