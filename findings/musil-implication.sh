#!/usr/bin/env bash
# musil 0.36.7 (`check_ltl`) says that a formula is violated which holds in the model, and that the same formula is right
# when the implication in its premise is written with `Not` and `Or`.
#
# Expected: the module's documentation says that `check_ltl` checks any formula made of its nodes. The model stays in one
# state, in which there is a request and no grant: `request -> grant` is false, so that each formula with it as its
# premise holds, whatever follows.
# Seen: `(request -> grant) -> grant` and `(request -> grant) -> X grant` are violated, with a run of the model on which
# they hold as counterexample. With the premise as `!request | grant`, or the whole as `!(request -> grant) | X grant`,
# which mean the same, they are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# CPython 3.12 or newer, which musil needs.
for name in python3 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
    "$name" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && python=$name && break
done
"${PYTHON:-$python}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check musil==0.36.7
cat >"$folder/grants.py" <<'PYTHON'
from musil import Action, Atom, Implies, Model, Next, Not, Or, check_ltl

request = Atom("request", lambda state: True)
grant = Atom("grant", lambda state: False)
stays = Model(init="asked", actions=[Action("wait", lambda state: True, lambda state: state)], invariants={})

for formula in [
    Implies(Implies(request, grant), grant),
    Implies(Or(Not(request), grant), grant),
    Implies(Implies(request, grant), Next(grant)),
    Implies(Or(Not(request), grant), Next(grant)),
    Or(Not(Implies(request, grant)), Next(grant)),
]:
    print(formula, "holds:", check_ltl(stays, formula).ok)
PYTHON
cd "$folder"
venv/bin/python grants.py >output
cat output
diff output - <<'EXPECTED' && echo "As stated."
((request -> grant) -> grant) holds: False
((!request | grant) -> grant) holds: True
((request -> grant) -> X grant) holds: False
((!request | grant) -> X grant) holds: True
(!(request -> grant) | X grant) holds: True
EXPECTED
