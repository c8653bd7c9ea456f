"""Suppressions of failures that are known, or intended, and do not end a check: in the source, in settings, or in a
baseline.

- A comment ``# mazurka: ignore[race, deadlock] reason`` at a line suppresses failures of these kinds at this line: a
  thread fails or waits there, or makes either access of a data race; without ``[...]`` failures of all kinds. It is at
  the end of the line, or alone on the line above. For a failure inside a library the program's own line counts that led
  there.
- A rule (``ignore`` in the settings) has the form of those for `mazurka predict --suppressions`
  (predict/suppressions.py).
- A baseline is a file of the failures at the time when it was written, by their fingerprints, without line numbers.

Invariant: suppressed failures are counted and reported, and a check that suppressed one is never ``verified``. A
comment with an unknown kind suppresses no failures.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from mazurka.config import Options
from mazurka.errors import UsageError, did_you_mean
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.suppressions import Rule, rule_of
from mazurka.program.protocol import Failure, FailureKind
from mazurka.replay.anchor import is_library, portable_path
from mazurka.replay.schedule import fingerprint
from mazurka.report.report import Suppressed
from mazurka.trace.event import Location
from mazurka.workflows.asked import names_of
from mazurka.workflows.program_spec import properties_of
from mazurka.workflows.store import write_whole

_COMMENT: Final = re.compile(r"#\s*mazurka:\s*ignore(?:\[([^\]]*)\])?(?:[:\s]+(.*))?$")
_KINDS: Final = tuple([kind.value for kind in FailureKind])
_VERSION: Final = 1


@dataclass(slots=True)
class _Comment:
    """A comment that suppresses failures, and its line."""

    place: str
    kinds: tuple[str, ...]  # none: all
    reason: str
    used: bool = False

    def names(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds


@dataclass(slots=True)
class Suppressions:
    """The suppressions of one check. ``accepts_all`` is for the check that writes a baseline."""

    rules: list[Rule]
    baseline: Path | None
    accepts_all: bool
    _known: dict[str, dict[str, Any]]  # by fingerprint: the entry of the baseline
    _accepted: dict[str, Failure] = field(default_factory=dict)
    _met: set[str] = field(default_factory=set)
    _comments: dict[str, dict[int, _Comment]] = field(default_factory=dict)  # by file and line
    _decided: dict[tuple[str, ...], str | None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)  # in comments
    kinds: tuple[str, ...] = _KINDS  # those of failures, and the names of properties
    only: frozenset[str] = frozenset()  # those that are asked for; none: all

    def why(self, failure: Failure) -> str | None:
        """The rule that suppresses a failure; None if it is to be reported."""
        if failure.identity not in self._decided:
            self._decided[failure.identity] = self._why(failure)
        return self._decided[failure.identity]

    def keeps_back(self, failure: Failure) -> bool:
        """Whether a rule, a comment or the baseline suppresses the failure."""
        return self.why(failure) is not None

    def suppressed(self, failure: Failure) -> Suppressed:
        """A suppressed failure, in the form for reports."""
        return Suppressed(failure, fingerprint(failure), self.why(failure) or "")

    def unused(self, files: Iterable[str], races: bool) -> list[str]:
        """The suppressions without a match in a complete check; among comments only those in ``files``."""
        found = []
        for file in sorted(set(files)):
            for comment in self._comments_in(file).values():
                about_races = set(comment.kinds) == {FailureKind.RACE.value} and not races
                if not comment.used and not about_races:
                    found.append(f"the comment at {comment.place}")
        found += [f"the rule {rule.text!r}" for rule in self.rules if not rule.used]
        return found

    def gone(self, target: str) -> list[str]:
        """The baseline's entries of a target that a complete check has not met."""
        left = [each for mark, each in self._known.items() if each.get("target") == target and mark not in self._met]
        return [
            f"in the baseline: {each.get('message')} at {each.get('location') or 'an unknown place'}" for each in left
        ]

    def write(self, target: str, complete: bool) -> None:
        """Write the accepted failures to the baseline; other entries of this target are removed if the search was
        ``complete``, and did not meet them."""
        assert self.baseline is not None
        with _locked(self.baseline):
            entries = _read(self.baseline) if self.baseline.exists() else {}
            if complete:
                entries = {mark: each for mark, each in entries.items() if each.get("target") != target}
            for mark, failure in self._accepted.items():
                entries[mark] = {
                    "target": target,
                    "kind": failure.kind_name,
                    "message": failure.message,
                    "location": _words(failure.location),
                }
            ordered = sorted(entries.items(), key=lambda each: (str(each[1].get("target")), each[0]))
            document = {"version": _VERSION, "failures": [{"fingerprint": mark, **each} for mark, each in ordered]}
            write_whole(self.baseline, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    # -- which ------------------------------------------------------------------------------------------------------

    def _why(self, failure: Failure) -> str | None:
        if self.only and not self.only & names_of(failure):
            return f"not of --only {', '.join(sorted(self.only))}"
        for place in _places(failure):
            comment = self._comments_in(place.file).get(place.line)
            if comment is not None and comment.names(failure.kind_name):
                comment.used = True
                return f"comment at {comment.place}" + (f": {comment.reason}" if comment.reason else "")
        for rule in self.rules:
            if rule.matches(failure.kind_name, *_described(failure)):
                rule.used += 1
                return f"rule {rule.text!r}"
        mark = fingerprint(failure)
        if self.accepts_all:
            self._accepted[mark] = failure
            return f"written to {self.baseline}"
        if mark in self._known:
            self._met.add(mark)
            return f"baseline {self.baseline}"
        return None

    def _comments_in(self, file: str) -> dict[int, _Comment]:
        if file not in self._comments:
            self._comments[file] = dict(self._read_comments(file))
        return self._comments[file]

    def _read_comments(self, file: str) -> Iterator[tuple[int, _Comment]]:
        """The comments of a file, each with the line for which it holds."""
        try:
            source = Path(file).read_bytes()
            tokens = list(tokenize.tokenize(io.BytesIO(source).readline)) if b"mazurka:" in source else []
        except (OSError, SyntaxError, tokenize.TokenError, UnicodeDecodeError):
            return
        for token in tokens:
            found = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if found is None:
                continue
            alone = not token.line[: token.start[1]].strip()
            line = token.start[0] + alone
            place = f"{portable_path(file)}:{token.start[0]}"
            kinds = tuple([kind.strip() for kind in (found[1] or "").split(",") if kind.strip()])
            unknown = [kind for kind in kinds if kind not in self.kinds]
            if unknown:
                hint = did_you_mean(unknown[0], self.kinds) or f"there are {', '.join(self.kinds)}"
                self.problems.append(f"{place}: there is no kind of failure {unknown[0]!r}; {hint}")
            else:
                yield line, _Comment(place, kinds, (found[2] or "").strip())


def suppressions_of(options: Options) -> Suppressions:
    """The suppressions of the settings; an error if a rule is malformed, or the baseline can't be read."""
    kinds = (*_KINDS, *[each.name for each in properties_of(options)])
    rules = [rule_of(text, number, "ignore", kinds) for number, text in enumerate(options.ignore, 1)]
    baseline = Path(options.baseline) if options.baseline is not None else None
    if options.write_baseline and baseline is None:
        raise UsageError("baseline", "no file was named to write", where="write-baseline", hint="name it by --baseline")
    known: dict[str, dict[str, Any]] = {}
    if baseline is not None and (baseline.exists() or not options.write_baseline):
        known = _read(baseline)
    stated = [rule for rule in rules if rule is not None]
    return Suppressions(stated, baseline, options.write_baseline, known, kinds=kinds, only=frozenset(options.only))


def _places(failure: Failure) -> list[Location]:
    """The lines of a failure."""
    waits = [each.location for each in failure.waiting]
    own = [each.location for each in failure.frames if not is_library(each.location.file)]
    return [each for each in (failure.location, failure.against, *waits, *own[-1:]) if each is not None]


def _described(failure: Failure) -> tuple[list[str], list[str], list[str]]:
    """The locations of a failure, their functions and its variable, in the form that rules match."""
    places = list(dict.fromkeys(_words(each) for each in _places(failure)))
    stacks = [" < ".join(each.location.function for each in reversed(failure.frames))] if failure.frames else []
    stacks += [each.function for each in _places(failure)]
    about = [each.for_what for each in failure.waiting]
    if failure.is_race:
        about.append(failure.message.removeprefix("data race on ").partition(": ")[0])
    return places, stacks, about


def _words(location: Location | None) -> str:
    return "" if location is None else f"{portable_path(location.file)}:{location.line}"


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """A baseline's entries by fingerprint."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != _VERSION:
            raise ValueError
        return {str(each.pop("fingerprint")): each for each in document["failures"]}
    except OSError as error:
        hint = "write it with --write-baseline" if isinstance(error, FileNotFoundError) else ""
        raise UsageError("baseline", f"can't be read: {error.strerror}", where=str(path), hint=hint) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        hint = "write it again with --write-baseline"
        raise UsageError("baseline", "this is no baseline of this version", where=str(path), hint=hint) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Prevent other checks from writing the same baseline meanwhile."""
    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise UsageError("baseline", f"can't be written: {error.strerror}", where=str(path)) from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except OSError as error:
        raise UsageError("baseline", f"can't be written: {error.strerror}", where=str(path)) from None
    finally:
        os.close(folder)
