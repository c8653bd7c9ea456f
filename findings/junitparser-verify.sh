#!/usr/bin/env bash
# junitparser 5.0.3 reads a report of pytest 9.0.2 in which a fixture fails after its test was skipped, and
# `junitparser verify` ends with exit status 0.
#
# Expected: `junitparser verify --help` promises a non-zero exit status if one of the test cases failed or errored.
# pytest itself ends with 1, and its report has `errors="1"`: a test case with a `skipped` element, and an `error` beside
# it. junitparser reads both: a case's `result` is a list, since version 2 (its README: to support pytest's reports better).
# Seen: status 0 for that report; 1 as soon as the same test passes instead of being skipped. `verify` takes a case with
# any `skipped` in it as fine, without a look at its other results.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest==9.0.2 junitparser==5.0.3
cat >"$folder/test_worker.py" <<'PYTHON'
import os

import pytest


@pytest.fixture
def worker():
    yield
    raise RuntimeError("the worker thread has died")


def test_worker(worker):
    if os.environ.get("SKIP"):
        pytest.skip("no network here")
PYTHON
cat >"$folder/results.py" <<'PYTHON'
import sys

from junitparser import JUnitXml

for suite in JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        results = [type(result).__name__ for result in case.result]
        print(sys.argv[1], "errors:", suite.errors, "of the case:", results)
PYTHON
cd "$folder"
for skip in "" 1; do
    report=passes.xml
    [ -z "$skip" ] || report=skips.xml
    tests=0
    SKIP=$skip venv/bin/python -m pytest -q -p no:cacheprovider --junit-xml="$report" test_worker.py >pytest.txt || tests=$?
    venv/bin/python results.py "$report" >>output
    verified=0
    venv/bin/junitparser verify "$report" >>output || verified=$?
    echo "$report pytest: $tests verify: $verified" >>output
done
cat output
diff output - <<'EXPECTED' && echo "As stated."
passes.xml errors: 1 of the case: ['Error']
passes.xml pytest: 1 verify: 1
skips.xml errors: 1 of the case: ['Skipped', 'Error']
skips.xml pytest: 1 verify: 0
EXPECTED
