#!/usr/bin/env bash
# viztracer 1.1.1 on CPython 3.12 and 3.13 records no thread under its name but the main one: two threads named "reader"
# and "writer" are "Dummy-1" and "Dummy-2" in the Chrome trace that it writes, and so in Perfetto. The program itself sees
# the right names.
#
# Expected: the `thread_name` records of the trace have the names of `threading.Thread`, as asked for and promised in
# https://github.com/gaogaotiantian/viztracer/issues/61 and as they were: viztracer 0.16.3 writes them on the same
# interpreter, and 1.1.1 does on CPython 3.11.
# Seen: "Dummy-N", which is what `threading.current_thread()` calls a thread that isn't registered yet. Thread N is the
# N-th that starts, so that two runs whose threads start in different orders swap the names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in python3.12 python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23]*/bin/python3 python3; do
    "$name" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && python=$name && break
done
cat >"$folder/threads.py" <<'PYTHON'
import threading


def work():
    print(threading.current_thread().name)


for name in ("reader", "writer"):
    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()
PYTHON
cat >"$folder/names.py" <<'PYTHON'
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
named = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
calls = [event for event in events if event["ph"] == "X" and event["name"].startswith("work ")]
print(sys.argv[1], [named[call["tid"]] for call in sorted(calls, key=lambda call: call["ts"])])
PYTHON
cd "$folder"
for version in 0.16.3 1.1.1; do
    "${PYTHON:-$python}" -m venv "venv-$version"
    "venv-$version/bin/pip" install --quiet --disable-pip-version-check "viztracer==$version"
    "venv-$version/bin/viztracer" --quiet -o "$version.json" threads.py >>output
    "venv-$version/bin/python" names.py "$version.json" >>output
done
cat output
diff output - <<'EXPECTED' && echo "As stated."
reader
writer
0.16.3.json ['reader', 'writer']
reader
writer
1.1.1.json ['Dummy-1', 'Dummy-2']
EXPECTED
