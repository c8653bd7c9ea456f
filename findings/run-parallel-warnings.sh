#!/usr/bin/env bash
# pytest-run-parallel 0.10.0 (with pytest 9.0.2) lets a test pass that a warning made an error should fail: with
# `-W error` (or `filterwarnings = error`) the same test fails without the plugin's threads.
#
# Expected: a test's outcome under `-W error` doesn't depend on the number of threads, at least where every call warns.
# Seen: `pytest -W error` fails with "UserWarning: the default will change"; with `--parallel-threads=2` the test passes
# with exit status 0, and the rest of the test's body, whose assertion is false, never runs. The plugin's threads catch
# `Warning` and drop it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest==9.0.2 pytest-run-parallel==0.10.0
cat >"$folder/test_default.py" <<'PYTHON'
import warnings


def area(width, height=None):
    if height is None:
        warnings.warn("the default will change", UserWarning)
        height = width
    return width * height


def test_area():
    assert area(2) == 5
PYTHON
cd "$folder"
alone=0
venv/bin/python -m pytest -q -p no:cacheprovider -W error test_default.py >alone.txt 2>&1 || alone=$?
status=0
venv/bin/python -m pytest -q -p no:cacheprovider -W error --parallel-threads=2 test_default.py >output 2>&1 || status=$?
tail -n 2 alone.txt
cat output
[ "$alone" = 1 ] && grep -q "UserWarning: the default will change" alone.txt &&
    [ "$status" = 0 ] && grep -q "^1 passed" output &&
    echo "As stated: fails alone, passes in two threads, where its assertion isn't reached."
