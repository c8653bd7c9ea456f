#!/usr/bin/env bash
# frontrun 0.7.0 (`frontrun.explore`, its default DPOR search, CPython 3.11) answers one and the same check-then-act by
# how the check is written: `registry.get(name) is None` on a dict and `not items` on a list are found to be wrong in the
# second execution; with `name not in registry` on the dict, or a `deque` in place of the list, it says after a single
# execution that the property holds.
#
# Expected: `property_holds` is False for all four. Two threads find nothing there, and both add something.
# Seen: True after 1 execution for `in` on a dict and for the truth of a `deque`: these reads are not taken to conflict
# with the writes of the other thread, so that no other order is tried; the result doesn't say that accesses were missed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.11 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check frontrun==0.7.0
cat >"$folder/containers.py" <<'PYTHON'
from collections import deque

import frontrun


class State:
    def __init__(self, made):
        self.made = made
        self.added = []


def by_get(state):
    if state.made.get("name") is None:
        state.made["name"] = "first"
        state.added.append("name")


def by_in(state):
    if "name" not in state.made:
        state.made["name"] = "first"
        state.added.append("name")


def by_truth(state):
    if not state.made:
        state.made.append("first")
        state.added.append("first")


def answer(made, work):
    result = frontrun.explore(
        setup=lambda: State(made()), workers=[work, work], invariant=lambda state: len(state.added) == 1
    )
    print(made.__name__, work.__name__, result.property_holds, result.num_explored)


answer(dict, by_get)
answer(dict, by_in)
answer(list, by_truth)
answer(deque, by_truth)
PYTHON
cd "$folder"
venv/bin/frontrun venv/bin/python containers.py >output 2>errors || { cat output errors; exit 1; }
cat output
diff output - <<'EXPECTED' && echo "As stated."
dict by_get False 2
dict by_in True 1
list by_truth False 2
deque by_truth True 1
EXPECTED
