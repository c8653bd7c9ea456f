#!/usr/bin/env bash
# mctk-py 0.1.1 (a checker of CTL on Kripke structures) says of a thread that may wait for a lock for ever that it gets
# the lock on every path: `AF` holds of a state with an edge to itself in which its argument never holds, and `EG` of
# the opposite doesn't.
#
# Expected: the package's README promises the operators of CTL, and that a structure satisfies a formula if its start
# states are in the returned set. A path of CTL may take an edge to the same state again and again, so that `EG waiting`
# holds of `spins`, and `AF entered` doesn't.
# Seen: `EG waiting` holds of no state, and `AF entered` of all. Drawn as two states that alternate (labels have to
# differ, hence "even"), the same thread gets the right answers. `EG` looks for strongly connected components of more than
# one state, so that one state with an edge to itself counts as no cycle; `AF` and `AU` are computed from `EG`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mctk-py==0.1.1
cat >"$folder/spins.py" <<'PYTHON'
from mctk import AF, EG, KripkeStruct, SAT_atom


def answer(name, waits, edges):
    thread = KripkeStruct()
    thread.set_atoms(["waiting", "entered", "even"])
    for number, state in enumerate(waits):
        thread.add_state(state, ["waiting", "even"] if number else ["waiting"])
    thread.add_state("inside", ["entered"])
    thread.set_starts([waits[0]])
    thread.add_trans({**edges, "inside": [waits[0]]})
    for_ever = EG(thread, SAT_atom(thread, "waiting"))
    always = AF(thread, SAT_atom(thread, "entered"))
    print(name, "EG waiting:", sorted(for_ever), "AF entered:", sorted(always))


answer("one state:", ["spins"], {"spins": ["spins", "inside"]})
answer("two states:", ["spins", "spun"], {"spins": ["spun", "inside"], "spun": ["spins", "inside"]})
PYTHON
cd "$folder"
venv/bin/python spins.py >output
cat output
diff output - <<'EXPECTED' && echo "As stated."
one state: EG waiting: [] AF entered: ['inside', 'spins']
two states: EG waiting: ['spins', 'spun'] AF entered: ['inside']
EXPECTED
