#!/usr/bin/env bash
# concurrencytest 0.1.11 (with testtools 2.9.1 and python-subunit 1.4.6) runs a suite of `unittest` in several processes.
# If the suite's tests pass and `tearDownClass` or `setUpClass` raises, the run is successful.
#
# Expected: its README gives `ConcurrentTestSuite` as compatible with `unittest`, and one of its two ways to divide a
# suite as the one that preserves the life cycle of `setUpClass` and `tearDownClass`. `unittest` counts an exception in
# either as an error, and the run as a failure.
# Seen: no error, `wasSuccessful()` is True, and nothing of the exception is printed; with `setUpClass`, whose tests don't
# run, no test is missed. Known of `setUpClass`: https://github.com/cgoldberg/concurrencytest/issues/10 (open since 2020;
# then the exception was still printed).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check concurrencytest==0.1.11 testtools==2.9.1 python-subunit==1.4.6
cat >"$folder/fixtures.py" <<'PYTHON'
import io
import unittest

from concurrencytest import ConcurrentTestSuite, fork_for_tests, partition_tests_by_class


class Leaks(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        raise RuntimeError("two threads are left")

    def test_sum(self):
        self.assertEqual(sum([1, 1]), 2)


class CannotConnect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no server")

    def test_sum(self):
        self.assertEqual(sum([1, 1]), 2)


def run(case, parallel):
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    if parallel:
        suite = ConcurrentTestSuite(suite, fork_for_tests(2, partition_tests_by_class))
    printed = io.StringIO()
    result = unittest.TextTestRunner(printed).run(suite)
    counts = ["errors:", len(result.errors), "successful:", result.wasSuccessful()]
    print(case.__name__, "parallel:", parallel, *counts, "said:", "RuntimeError" in printed.getvalue(), flush=True)


for case in (Leaks, CannotConnect):
    for parallel in (False, True):
        run(case, parallel)
PYTHON
cd "$folder"
venv/bin/python fixtures.py >output 2>&1
cat output
diff output - <<'EXPECTED' && echo "As stated."
Leaks parallel: False errors: 1 successful: False said: True
Leaks parallel: True errors: 0 successful: True said: False
CannotConnect parallel: False errors: 1 successful: False said: True
CannotConnect parallel: True errors: 0 successful: True said: False
EXPECTED
