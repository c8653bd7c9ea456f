"""Suppressions: a file of typed rules, and the rules that suppressed a finding.

One rule a line, ``#`` begins a comment:

- ``location PATTERN [PATTERN]``: one of the finding's places (with two patterns: two of them), as the report prints it
  (``cache.py:40``, ``cache.py:40 in get``, or its name in the trace);
- ``variable PATTERN``: a variable or a lock of the finding;
- ``stack PATTERN...``: functions of one of the finding's places, innermost first, as far as the trace has them.

Patterns are shell patterns (``*``, ``?``, ``[...]``). In front of a rule, ``race:``, ``deadlock:``, ``atomicity:``,
``order-violation:`` or ``call-order:`` restricts it to findings of that kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path

from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.kinds.registry import KINDS


class Subject(Enum):
    """The kinds of rules."""

    LOCATION = "location"
    VARIABLE = "variable"
    STACK = "stack"


@dataclass(slots=True)
class Rule:
    """One line of the file; ``used`` counts the findings that it suppressed."""

    text: str
    line: int
    subject: Subject
    patterns: tuple[str, ...]
    kind: str = ""
    used: int = field(default=0, init=False)

    def matches(self, kind: str, places: Sequence[str], functions: Sequence[str], variables: Sequence[str]) -> bool:
        """Whether the rule matches a finding with these places, functions of places, and variables or locks."""
        if self.kind and self.kind != kind:
            return False
        match self.subject:
            case Subject.VARIABLE:
                return any(fnmatchcase(each, self.patterns[0]) for each in variables)
            case Subject.STACK:
                return any(_begins(function.split(" < "), self.patterns) for function in functions)
            case Subject.LOCATION:
                return _are_among(self.patterns, list(places))


def _begins(stack: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(stack) >= len(patterns) and all(map(fnmatchcase, stack, patterns))


def _are_among(patterns: Sequence[str], places: list[str]) -> bool:
    """Whether each pattern has a place of its own."""
    if not patterns:
        return True
    return any(
        fnmatchcase(place, patterns[0]) and _are_among(patterns[1:], [*places[:number], *places[number + 1 :]])
        for number, place in enumerate(places)
    )


def read_suppressions(path: str) -> list[Rule]:
    """The rules of a file; raises :class:`UsageError` for a malformed line."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError("suppressions", f"can't be read: {error.strerror}", where=path) from None
    except UnicodeDecodeError:
        raise UsageError("suppressions", "not UTF-8 text", where=path) from None
    rules = [rule_of(line, number, path) for number, line in enumerate(lines, 1)]
    return [rule for rule in rules if rule is not None]


def rule_of(line: str, number: int, path: str, kinds: Collection[str] | None = None) -> Rule | None:
    """The rule in a line, the ``number``-th of ``path``; None if the line is empty or a comment."""
    words = line.partition("#")[0].split()
    if not words:
        return None
    kind = words.pop(0)[:-1] if words[0].endswith(":") else ""
    subject = words[0] if words else ""
    if (
        (kind and kind not in (KINDS if kinds is None else kinds))
        or subject not in [each.value for each in Subject]
        or len(words) < 2
    ):
        raise UsageError(
            "suppressions",
            f"this is no rule: {line.strip()}",
            where=f"{path}:{number}",
            hint="write [KIND:] location|variable|stack PATTERN...",
        )
    most = {"location": 2, "variable": 1}.get(subject)
    if most is not None and len(words) - 1 > most:
        raise UsageError(
            "suppressions", f"{subject} takes at most {most} patterns: {line.strip()}", where=f"{path}:{number}"
        )
    return Rule(" ".join(line.partition("#")[0].split()), number, Subject(subject), tuple(words[1:]), kind)
