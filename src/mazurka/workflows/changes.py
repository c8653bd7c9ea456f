"""The lines that have changed since a commit of git, and the findings that these touch.

Changed are the lines of the working tree that ``git diff`` adds or alters, staged or not, those on both sides of
removed lines, and all lines of files that git does not track and does not ignore. The commit is the merge base of the
working tree's ``HEAD`` and the one that was named. A file that was only renamed has no changed lines.

A finding is touched if one of its lines has changed: where it fails, waits or races, of the steps that explain it, and
of the calls that led there. Other findings are suppressed, and no verdict is better for that.

Cost: three or four processes of git.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Finding, Row
from mazurka.report.report import Suppressed
from mazurka.trace.event import Location

#: The default of the commit.
HEAD: Final = "HEAD"

_HUNK: Final = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS: Final = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}

_DIFF: Final = (
    *("-c", "core.quotePath=false", "diff", "--merge-base", "--unified=0", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--find-renames", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules"),
)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed lines by the real path of their file; None for all lines of a file."""

    since: str
    lines: Mapping[str, frozenset[int] | None]

    def touch(self, finding: Finding) -> bool:
        """Whether a line of the finding has changed."""
        return any(self._has(place) for place in _places(finding))

    def _has(self, place: Location) -> bool:
        path = os.path.realpath(place.file)
        if path not in self.lines:
            return False
        lines = self.lines[path]
        return lines is None or place.line in lines


def changes_since(commit: str = HEAD, folder: Path | None = None) -> Changes:
    """The changes in the working tree that holds ``folder`` (the working directory); a UsageError if there is none, or
    no such commit."""
    place = folder or Path.cwd()
    top = os.fsdecode(_git(place, "rev-parse", "--show-toplevel").removesuffix(b"\n"))
    try:
        _git(place, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    except UsageError:
        hint = "" if commit != HEAD else "make a first commit"
        raise UsageError("changed", f"git knows no commit {commit}", where="--changed", hint=hint) from None
    lines: dict[str, frozenset[int] | None] = {}
    for name, numbers in _changed_lines(_git(place, *_DIFF, commit, "--", ":/")):
        lines[os.path.realpath(os.path.join(top, name))] = frozenset(numbers)
    untracked = _git(Path(top), "ls-files", "--others", "--exclude-standard", "-z")
    for each in untracked.split(b"\0")[:-1]:
        lines[os.path.realpath(os.path.join(top, os.fsdecode(each)))] = None
    return Changes(commit, lines)


def touched(report: CheckReport, changes: Changes) -> CheckReport:
    """The report with the findings that changes touch; the others are suppressed, and nothing is verified then."""
    kept = tuple([each for each in report.findings if changes.touch(each)])
    others = [each for each in report.findings if each not in kept]
    by = f"none of its lines has changed since {changes.since}"
    suppressed = [Suppressed(each.failure, each.fingerprint, by) for each in others if each.failure is not None]
    if not suppressed:
        return report
    verdict, reason = report.verdict, report.reason
    if not kept:
        number = len(suppressed)
        verdict, reason = Verdict.INCONCLUSIVE, f"{number} failure{'s are' if number > 1 else ' is'} suppressed"
    return replace(report, verdict=verdict, reason=reason, findings=kept, suppressed=(*report.suppressed, *suppressed))


def _places(finding: Finding) -> Iterator[Location]:
    failure = finding.failure
    places = [finding.location, *(event.location for event in finding.events)]
    if failure is not None:
        places += [failure.location, failure.against, *(each.location for each in failure.frames)]
        places += [place for each in failure.waiting for place in (each.location, each.held_since)]
    for row in finding.explanation.rows:
        if isinstance(row, Row):
            places += [row.location, row.caller.location if row.caller is not None else None]
    return (place for place in places if place is not None)


def _changed_lines(diff: bytes) -> Iterator[tuple[str, set[int]]]:
    """The files of a diff without context, each with its new lines, and those around lines that were removed."""
    found: dict[str, set[int]] = defaultdict(set)
    name: str | None = None
    left = 0  # lines of the hunk that are still to come; they may look like headers
    for line in diff.split(b"\n"):
        if left and line[:1] in b"+-\\":
            left -= line[:1] != b"\\"
        elif line.startswith(b"+++ "):
            name = _named(line[4:])
        elif name is not None and (hunk := _HUNK.match(line)):
            start, number = int(hunk[1]), int(hunk[2] or 1)
            found[name].update(range(start, start + number) if number else (start, start + 1))
            removed = re.match(rb"@@ -\d+(?:,(\d+))?", line)
            left = number + (int(removed[1] or 1) if removed else 0)
    yield from found.items()


def _named(text: bytes) -> str | None:
    """The name of a file in a header, without its prefix; None if it was removed."""
    text = text.removesuffix(b"\t")
    if text == b"/dev/null":
        return None
    if text.startswith(b'"'):
        text = _ESCAPE.sub(lambda each: bytes([_escaped(each[1])]), text[1:-1])
    return os.fsdecode(text.removeprefix(b"b/"))


def _escaped(after: bytes) -> int:
    return int(after, 8) if len(after) == 3 else _LETTERS.get(after, after[0])


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("changed", "git is not installed", where="--changed") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        problem = said[-1].removeprefix("fatal: ") if said else f"git ends with status {done.returncode}"
        raise UsageError("changed", problem, where="--changed", hint="it needs a working tree of git")
    return done.stdout
