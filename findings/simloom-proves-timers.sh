#!/usr/bin/env bash
# simloom 0.5.0 (`explore_systematic`, CPython 3.12) calls a program proven correct that fails in every run of CPython's
# own loop: two sleeps, of 10 and of 7 ms, between whose beginnings the loop computes for some 20 ms. detangle 0.1.0
# ends its exhaustive search (`strategy="dfs"`) of the same program with "all schedules within the bound".
#
# Expected: an order that CPython's loop shows at each run is among those that an exhaustive search goes through, or the
# result says that callbacks were taken to need no time.
# Seen: `proven_correct` and `exhaustive` are True after 45 schedules, and detangle finds nothing in 3. In the virtual
# time of both a callback lasts no time, so that a timer's time never depends on what ran before the timer was made.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python3; do
    "$name" -c "" 2>/dev/null && python=$name && break
done
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check simloom==0.5.0 detangle==0.1.0
cat >"$folder/naps.py" <<'PYTHON'
import asyncio

import detangle
import simloom


async def main():
    seen = []

    async def nap(name, seconds):
        await asyncio.sleep(seconds)
        seen.append(name)

    slow = asyncio.create_task(nap("slow", 0.010))
    await asyncio.sleep(0)
    sum(range(2_000_000))
    fast = asyncio.create_task(nap("fast", 0.007))
    await asyncio.gather(slow, fast)
    assert seen == ["fast", "slow"], seen


def fails():
    try:
        asyncio.run(main())
    except AssertionError:
        return True
    return False


runs = [fails() for _ in range(5)]
print("CPython's loop fails:", runs)
proof = simloom.explore_systematic(main, max_delays=3)
print("simloom:", proof.proven_correct, proof.exhaustive)
said = detangle.explore(main, strategy="dfs").summary()
print("detangle:", said)
assert all(runs)
assert proof.proven_correct and proof.exhaustive
assert "no bug found" in said or "all schedules within the bound" in said
PYTHON
cd "$folder"
venv/bin/python naps.py
echo "as stated"
