"""The operations of traces: their codes never change, and an operation that only holds a thread up touches nothing."""

from __future__ import annotations

from pathlib import Path

from mazurka.program.protocol import Plan
from mazurka.program.python.opening import open_program
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.trace.event import READS, WRITES, Op

_NAMES = (
    *("READ", "WRITE", "ACQUIRE", "RELEASE", "REQUEST", "WAIT", "NOTIFY", "NOTIFY_ALL", "FORK", "JOIN", "BEGIN", "END"),
    *("BRANCH", "CALL", "RETURN", "ALLOC", "FREE", "FENCE", "RMW", "POINT", "SLEEP", "SPIN", "NOP"),
)

_PROGRAM = """
import threading, time
def nap():
    time.sleep(1)
def wait():
    while not ready: pass
ready = []
threads = [threading.Thread(target=nap), threading.Thread(target=wait)]
for thread in threads: thread.start()
threads[0].join()
"""


def test_codes_are_part_of_the_formats() -> None:
    assert [(op.name, op.value) for op in Op] == [(name, code) for code, name in enumerate(_NAMES)]


def test_sleeping_and_spinning_are_no_points_of_properties(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_PROGRAM)
    program = open_program(str(file), (), ProgramSettings(isolation=Isolation.RESTORE))
    try:
        run = program.execute(Plan())
    finally:
        program.close()
    assert [step.target for step in run.log if step.op is Op.SLEEP] == [("sleep",)]
    assert not [step for step in run.log if step.op in (Op.POINT, Op.SPIN)]
    assert {blocked.op for blocked in run.blocked if blocked.repeats is not None} <= {Op.READ, Op.SPIN}
    for op in (Op.POINT, Op.SLEEP, Op.SPIN, Op.NOP):
        assert not READS[op]
        assert not WRITES[op]
