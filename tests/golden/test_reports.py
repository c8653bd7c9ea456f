"""The wording of reports: the output for small programs, in all formats, compared with files.

``UPDATE_GOLDEN=1 make test ARGS=tests/golden`` writes the files anew; look at the difference before committing it.
Parts that differ from run to run (durations, tokens, hashes, versions, the working directory) are scrubbed.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests import preloaded

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_EXPECTED = _HERE / "expected"
_UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
_TIMEOUT_SECONDS = 60
_LINES = 30

_SCRUBBED = (
    (re.compile(r"\b\d+\.\d+ m?s\b"), "N s"),
    (re.compile(r'("seconds": |time=")[\d.e-]+'), r"\1N"),
    (re.compile(r"\b[\d,]+ executions?\b"), "N executions"),
    (re.compile(r'("executions"(?:: | value="))\d+'), r"\1N"),
    (re.compile(r"the entry /\S*/"), "the entry /ROOT/"),
    (re.compile(r"mz1-[\w-]+"), "mz1-TOKEN"),
    (re.compile(r"failures/[0-9a-f]{12}\.json"), "failures/HASH.json"),
    (re.compile(r'("mazurka": |"version": )"\d+\.\d+\.\d+\w*"(?=,\n\s+"(?:rules|schema))'), r'\1"VERSION"'),
    (re.compile(r'"search": \{.*?\n  \}', re.DOTALL), '"search": COURSE'),
    (re.compile(r"file:///[^\"]*?/work/"), "file:///ROOT/"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the form of its report, and further options."""

    program: str
    form: str = "text"
    options: tuple[str, ...] = ()
    status: int = 1
    command: str = "check"

    def __str__(self) -> str:
        command = "" if self.command == "check" else f"{self.command}-"
        return f"{command}{Path(self.program).stem}{''.join(self.options).replace('--', '-')}.{self.form}"


_EXAMPLES = ("bank", "cache", "mailbox", "transfer")
_SHAPES = """appended_in_turn bars bystanders check_then_act cleared_event closed_twice closed_while_reading
    connections counted_queue dead_connection dead_consumer deadlock_behind_an_event drained_queue early_task
    early_timeout early_worker emptied_queue evicted expired_twice filled_queue flag_before_data guessed_arity
    half_done hidden iteration kept_semaphore last_writer late_listener late_submit lock_of_a_property lost_count
    lost_key lost_list made_directory made_twice missed_by_a_daemon never_released order_violation pool_total
    pool_waits_for_itself popped_twice puts_in_turn removed_file removed_listener restored_filters same_number
    self_deadlock shared_generator shared_position slow_start snapshot_of_keys stale_cache stopped_early
    stopped_twice stopped_worker swapped_while_loading three_philosophers two_checkouts unsafe_publication
    upgraded_lock waits_once""".split()
_FORMS = ("text", "json", "sarif", "junit", "github")
_EXPORTS = ("markdown", "perfetto", "dot", "mermaid", "csv")
_CASES = [
    *(Case(f"examples/{name}.py") for name in _EXAMPLES),
    *(Case(f"examples/{name}_fixed.py", status=0) for name in _EXAMPLES),
    *(Case(f"tests/golden/programs/{name}.py") for name in _SHAPES),
    *(Case(f"tests/golden/programs/{name}.py", status=0) for name in ("long_timeout",)),
    Case("tests/golden/programs/no_threads.py", status=5),
    Case("examples/mailbox.py", options=("--all-failures",)),
    Case("examples/bank_fixed.py", options=("--max-executions", "1"), status=0),
    *(Case("examples/bank.py", form) for form in ("json", "sarif", "junit", "github")),
    *(Case("examples/bank_fixed.py", form, status=0) for form in ("json", "sarif", "junit", "github")),
    *(Case("examples/bank.py", form) for form in _EXPORTS),
    *(Case("examples/bank_fixed.py", form, status=0) for form in _EXPORTS),
    *(Case("examples/traces/transfer.std", form, command="predict") for form in _EXPORTS),
    *(Case("examples/traces/transfer.std", form, command="predict") for form in _FORMS),
    *(Case("examples/traces/jobs.csv", form, ("--kind", "call-orders"), command="predict") for form in _FORMS),
    *(Case("examples/traces/resource.std", form, ("--kind", "deadlocks"), 0, "predict") for form in _FORMS),
]


def _report(case: Case, folder: Path) -> str:
    folder.mkdir()
    shutil.copy(_ROOT / case.program, folder)
    name = Path(case.program).name
    arguments = [case.command, name, "--format", case.form, *case.options]
    done = preloaded.run(arguments, folder, preloaded.environment(), _TIMEOUT_SECONDS)
    assert done.returncode == case.status, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.sampled
@pytest.mark.parametrize("case", _CASES, ids=str)
def test_report(case: Case, tmp_path: Path) -> None:
    told = _report(case, tmp_path / "work")
    assert case.form != "text" or len(told.splitlines()) <= _LINES
    for pattern, replacement in _SCRUBBED:
        told = pattern.sub(replacement, told)
    path = _EXPECTED / f"{case}.txt"
    if _UPDATE:
        path.write_text(told)
    assert told == path.read_text(), "UPDATE_GOLDEN=1 writes the file anew"


def test_no_golden_file_is_left_over() -> None:
    assert sorted(path.name for path in _EXPECTED.iterdir()) == sorted(f"{case}.txt" for case in _CASES)
