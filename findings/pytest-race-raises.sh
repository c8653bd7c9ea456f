#!/usr/bin/env bash
# pytest-race 0.2.0 (with pytest 9.0.2) calls a function in several threads at once. If it fails by an `assert`, the test
# fails; if it fails by `pytest.raises` without the exception, or by `pytest.fail`, the test passes.
#
# Expected: the README has the function test "as usual for pytest", and its threads pass the failure on. `pytest.raises`
# and `pytest.fail` are pytest's other usual ways to fail, and called in the test's own thread they fail it.
# Seen: "1 passed" and exit status 0, where both threads failed; pytest itself only warns of exceptions that no thread
# handled. The threads pass on what is an `Exception`; pytest's failures derive from `BaseException`, in order that tests
# don't catch them by accident.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest==9.0.2 pytest-race==0.2.0
cat >"$folder/test_shelf.py" <<'PYTHON'
import pytest


class Shelf:
    def take(self):
        """Take a book; wrong: of an empty shelf, too."""


def test_assert(start_race):
    def take():
        try:
            Shelf().take()
        except IndexError:
            return
        assert False, "nothing was raised"

    start_race(threads_num=2, target=take)


def test_raises(start_race):
    def take():
        with pytest.raises(IndexError):
            Shelf().take()

    start_race(threads_num=2, target=take)


def test_raises_alone():
    with pytest.raises(IndexError):
        Shelf().take()


def test_fail(start_race):
    start_race(threads_num=2, target=lambda: pytest.fail("nothing was raised"))
PYTHON
cd "$folder"
for test in test_assert test_raises test_raises_alone test_fail; do
    status=0
    venv/bin/python -m pytest -q -p no:cacheprovider "test_shelf.py::$test" >seen 2>&1 || status=$?
    echo "$test: $(grep -oE '^1 (passed|failed)' seen), exit status $status" >>output
done
cat output
diff output - <<'EXPECTED' && echo "As stated."
test_assert: 1 failed, exit status 1
test_raises: 1 passed, exit status 0
test_raises_alone: 1 failed, exit status 1
test_fail: 1 passed, exit status 0
EXPECTED
