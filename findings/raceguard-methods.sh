#!/usr/bin/env bash
# raceguard 0.2.1 in its strict mode reports `account.balance += 1` by two threads without a lock, and doesn't report
# `account.deposit()`, whose body is the same statement; it reports `append` to a list and not to a `deque`, and to a list
# got by `state["users"]` and not to the same one got by `state.values()`.
#
# Expected: its README says that `protect` wraps any mutable object (a class of one's own is among the examples), that
# children are protected when they are accessed, and that strict mode, the one for CI, flags every write of another thread
# without a lock, however much later. None of the three is among the limits that it lists.
# Seen: writes by `self`, by methods of classes other than list, dict, set and bytearray, and to children reached through
# a view of a dict aren't seen, and nothing says so.
# The threads run one after another, so that the answers don't depend on timing; strict mode is to report this, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check raceguard==0.2.1
cat >"$folder/writes.py" <<'PYTHON'
import threading
from collections import deque

from raceguard import RaceConditionError, configure, protect

configure(mode="raise", strict=True)


class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self):
        self.balance += 1


def add(account):
    account.balance += 1


def append_to_value(state):
    for users in state.values():
        users.append("ann")


def reports(shared, write):
    protected = protect(shared)
    errors = []

    def work():
        try:
            write(protected)
        except RaceConditionError:
            errors.append("reported")

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return errors


print("account.balance += 1", reports(Account(), add))
print("account.deposit()", reports(Account(), lambda account: account.deposit()))
print("list.append", reports([], lambda numbers: numbers.append(1)))
print("deque.append", reports(deque(), lambda numbers: numbers.append(1)))
print("state['users'].append", reports({"users": []}, lambda state: state["users"].append("ann")))
print("state.values(), append", reports({"users": []}, append_to_value))
PYTHON
cd "$folder"
venv/bin/python writes.py >output
cat output
diff output - <<'EXPECTED' && echo "As stated."
account.balance += 1 ['reported']
account.deposit() []
list.append ['reported']
deque.append []
state['users'].append ['reported']
state.values(), append []
EXPECTED
