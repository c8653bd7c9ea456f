"""The failures that are asked for: ``--only``, and the property files of SV-COMP as a short form of it.

Invariant: a failure that is not asked for is suppressed, so that it is counted and named, the search goes on beyond
it, and nothing is verified: an execution that it has ended might have gone on to one that is.

A property file is known by its text (sv-comp.sosy-lab.org, "Properties"); one that is not there, by its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mazurka.config import ASKED
from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, FailureKind

_POINTERS: Final = frozenset(
    {
        *("null pointer", "invalid pointer", "out of bounds", "use after free", "use after return", "double free"),
        *("invalid free", "write to a constant"),
    }
)
_LEAK: Final = "memory leak: "
_ENDS: Final = frozenset({"abort", "signal"})
_STUCK: Final = (FailureKind.DEADLOCK, FailureKind.BLOCKED, FailureKind.LIVELOCK)

#: The ending of the names of SV-COMP's property files.
_SUFFIX: Final = ".prp"


def names_of(failure: Failure) -> set[str]:
    """The values of ``--only`` that ask for a failure. Violations of properties are asked for by their own option."""
    if failure.kind is FailureKind.PROPERTY:
        return set(ASKED)
    exception = failure.exception
    found = {
        "assertions": failure.kind in (FailureKind.ASSERTION, FailureKind.INVARIANT),
        "reach-error": failure.kind is FailureKind.ASSERTION and exception == "error",
        "races": failure.kind is FailureKind.RACE,
        "deadlocks": failure.kind in _STUCK,
        "pointers": exception in _POINTERS,
        "memory": exception in _POINTERS or exception == "uninitialised read" or failure.message.startswith(_LEAK),
        "leaks": failure.message.startswith(_LEAK),
        "exit-status": failure.kind is FailureKind.EXIT or exception in _ENDS,
    }
    assert found.keys() == set(ASKED)
    return {name for name, is_one in found.items() if is_one}


@dataclass(frozen=True, slots=True)
class _Row:
    """A property of SV-COMP: its name, what its text has, and what is asked for (nothing: it is refused)."""

    name: str
    text: str  # a regular expression for the formula, without spaces
    only: tuple[str, ...] = ()


_PROPERTIES: Final = (
    _Row("unreach-call", r"G!call\((?:reach_error|__VERIFIER_error)\(\)\)", ("reach-error",)),
    _Row("no-data-race", r"G!data-race", ("races",)),
    _Row("valid-memsafety", r"Gvalid-(?:free|deref|memtrack)", ("pointers", "leaks")),
    _Row("valid-memcleanup", r"Gvalid-memcleanup"),
    _Row("no-overflow", r"G!overflow"),
    _Row("termination", r"Fend"),
)


def settings_for(properties: Sequence[str]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """The properties that are no files of SV-COMP, and the settings that those files stand for.

    Raises UsageError for a file with a property that can't be decided here."""
    left = tuple(each for each in properties if not each.endswith(_SUFFIX))
    only = [name for each in properties if each.endswith(_SUFFIX) for name in _asked_by(each)]
    settings: dict[str, Any] = {"only": tuple(dict.fromkeys(only))} if only else {}
    if "leaks" in only:
        settings["leaks"] = True
    return left, settings


def _asked_by(file: str) -> list[str]:
    name = os.path.basename(file).removesuffix(_SUFFIX)
    if os.path.exists(file):
        try:
            with open(file, encoding="utf-8") as stream:
                checks = re.findall(r"CHECK\(init\(main\(\)\),LTL\((.*)\)\)", re.sub(r"[^\S\n]", "", stream.read()))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("no-such-property", f"can't be read: {error}", where=file) from None
        rows = [next((row for row in _PROPERTIES if re.fullmatch(row.text, each)), None) for each in checks]
    else:
        rows = [next((row for row in _PROPERTIES if row.name == name), None)]
        if rows == [None]:
            raise UsageError("no-such-file", "there is no such file", where=file)
    known = ", ".join(row.name for row in _PROPERTIES if row.only)
    refused = next((row for row in rows if row is not None and not row.only), None)
    if refused is not None:
        text = f"the property {refused.name} is not decided here"
        raise UsageError("no-such-property", text, where=file, hint=f"there are {known}")
    if not rows or None in rows:
        raise UsageError("no-such-property", "no property of SV-COMP that is known", where=file, hint=f"known: {known}")
    return [name for row in rows if row is not None for name in row.only]
