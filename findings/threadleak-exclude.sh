#!/usr/bin/env bash
# pytest-threadleak 0.5.0 (with pytest 9.0.2) reports no leak at all if the pattern of names to exclude also matches the
# name of the main thread, as `.*Thread$` does: a test that leaves a thread named "worker" passes.
#
# Expected: the README says that threads whose names match `threadleak_exclude` are left out. "worker" doesn't match.
# Seen: with `.*Reader$` or without a pattern "Test leaked [<Thread(worker, ...)>]" and exit status 1, with `.*Thread$` one
# passed test and exit status 0. The threads before a test are listed without those that match, and an empty list is taken
# to mean that the plugin is off.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest==9.0.2 pytest-threadleak==0.5.0
cat >"$folder/test_worker.py" <<'PYTHON'
import threading


def test_worker():
    threading.Thread(target=threading.Event().wait, name="worker", daemon=True).start()
PYTHON
cd "$folder"
for pattern in "" '.*Reader$' '.*Thread$'; do
    printf '[pytest]\nthreadleak = true\n' >pytest.ini
    [ -z "$pattern" ] || echo "threadleak_exclude = $pattern" >>pytest.ini
    status=0
    venv/bin/python -m pytest -q -p no:cacheprovider test_worker.py >seen 2>&1 || status=$?
    echo "'$pattern': $(grep -oE '^1 (passed|failed)' seen), exit status $status" >>output
done
cat output
diff output - <<'EXPECTED' && echo "As stated."
'': 1 failed, exit status 1
'.*Reader$': 1 failed, exit status 1
'.*Thread$': 1 passed, exit status 0
EXPECTED
