"""The kinds of bugs that are predicted from traces: one row each, and one file that defines the bug.

A row has the data that commands, settings and reports need before any trace is read, so this module takes no time to
import. The kind's own file (definition.py) has the rest: the rows that may make up such a bug, the claim about them,
the question to the causal model, and the words of a finding.

Users see names, counts and words: they do not change.

Properties that users state (:mod:`mazurka.properties`) are kinds, too, once they have been added.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.conflicts import RACE

if TYPE_CHECKING:
    from mazurka.predict.kinds.definition import Definition, Rows
    from mazurka.properties.property import Property

DEADLOCK: Final = "deadlock"
ATOMICITY: Final = "atomicity"
ORDER_VIOLATION: Final = "order-violation"
CALL_ORDER: Final = "call-order"

#: The kinds of bugs that are about the order in which the events of different threads are recorded.
_NEED_ORDER: Final = (ORDER_VIOLATION, CALL_ORDER)

#: The stage that searches for violations of properties.
PROPERTY_STAGE: Final = "property"

#: The engines that look for every kind, and their stages.
_GENERAL: Final = {"auto": ("seqcheck", "maximal"), "seqcheck": ("seqcheck",), "maximal": ("maximal",)}

#: Engines that find races by a partial order of events.
ORDERS: Final = ("hb", "shb", "wcp", "dc", "wdc", "syncp")


@dataclass(frozen=True, slots=True)
class BugKind:
    """One row.

    ``name`` is the name in findings (JSON, rules of SARIF, rules of suppressions), ``option`` the name for `--kind`.
    ``rule`` describes such a bug in a sentence. ``unit`` is the name of the unit that is counted: distinct places;
    ``finer`` are counts of rows. ``claim`` is the class of the claim, ``module`` the kind's file. ``engines`` has the
    engines that look for the kind, with their stages.

    ``is_ordered``: the same places in another order are another bug. ``by_last_event``: bugs are pairs of events,
    possibly very many, and one is searched for at each last event, too. ``property``: the property whose violations are
    such bugs.
    """

    name: str
    option: str
    rule: str
    unit: str
    claim: str
    module: str
    engines: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _GENERAL)
    is_ordered: bool = False
    by_last_event: bool = False
    finer: Mapping[str, Callable[[Collection[Rows]], int]] = field(default_factory=dict)
    property: Property | None = None

    def definition(self) -> Definition:
        """The kind's file, which is imported by this call."""
        return cast("Definition", import_module(f"mazurka.predict.kinds.{self.module}"))

    def counts(self, proven: Collection[Rows], places: int) -> dict[str, int]:
        """The counts of proven bugs by their names in JSON, from the rows of each bug, and the number of distinct
        places."""
        return {_key(unit): count(proven) for unit, count in self.finer.items()} | {_key(self.unit): places}

    def counts_in_words(self, counts: Mapping[str, int]) -> str:
        """The counts in words."""
        finer = ", ".join(_words(counts[_key(unit)], unit) for unit in self.finer)
        return _words(counts[_key(self.unit)], self.unit) + (f" ({finer})" if finer else "")


def _key(unit: str) -> str:
    return _plural(unit).replace(" ", "_")


def _words(number: int, unit: str) -> str:
    return f"{number:,} {unit if number == 1 else _plural(unit)}"


def _plural(unit: str) -> str:
    noun, of, rest = unit.partition(" of ")
    return f"{noun}s{of}{rest}"


def _last_events(proven: Collection[Rows]) -> int:
    return len({rows[-1] for rows in proven})


_ROWS: Final = (
    BugKind(
        RACE,
        "races",
        "Two threads access the same location, one of them writes, and the accesses are not ordered.",
        "race location",
        "Races",
        "race",
        {
            "auto": ("shb", "seqcheck", "maximal"),
            **{order: (order,) for order in ORDERS},
            "seqcheck": ("seqcheck",),
            "maximal": ("maximal",),
        },
        by_last_event=True,
        finer={"racy event": _last_events, "race pair": len},
    ),
    BugKind(
        DEADLOCK,
        "deadlocks",
        "Threads may wait for one another for ever.",
        "deadlock",
        "Deadlocks",
        "deadlock",
        {
            "auto": ("seqcheck", "maximal", "communication"),
            "syncp": ("spd",),
            "seqcheck": ("seqcheck",),
            "maximal": ("maximal", "communication"),
        },
    ),
    BugKind(
        ATOMICITY,
        "atomicity",
        "Another thread's access may come between two of one thread that no serial order explains.",
        "atomicity violation",
        "AtomicityViolation",
        "atomicity",
        is_ordered=True,
    ),
    BugKind(
        ORDER_VIOLATION,
        "order-violations",
        "A thread may use a location before another has initialised it, or after another has freed it.",
        "order violation",
        "OrderViolation",
        "order_violation",
        is_ordered=True,
    ),
    BugKind(
        CALL_ORDER,
        "call-orders",
        "Two calls of an object that do not commute may come in the other order.",
        "call order violation",
        "CallsReversed",
        "call_order",
        {"auto": ("edc", "maximal"), "edc": ("edc",), "maximal": ("maximal",)},
        is_ordered=True,
    ),
)

#: The kinds by name, in the order in which they are searched for.
KINDS: Final = {kind.name: kind for kind in _ROWS}

#: The name of the kind for each class of claims.
KIND_OF_CLAIM: Final = {kind.claim: kind.name for kind in _ROWS}

#: The stages for each engine and kind. The default engine first.
ENGINES: Final = {
    engine: {kind.name: kind.engines[engine] for kind in _ROWS if engine in kind.engines}
    for engine in dict.fromkeys(engine for kind in _ROWS for engine in kind.engines)
}


def add_property(added: Property) -> BugKind:
    """The kind of the violations of a property: a new row of the registry, in place of one for a property of the same
    name. Properties do not have names of other kinds (:data:`mazurka.properties.checks.KINDS`)."""
    rule = added.description or f"The program violates the property {added.name}."
    engines = {"auto": (PROPERTY_STAGE,), "maximal": (PROPERTY_STAGE,)}
    unit = f"violation of {added.name}"
    kind = BugKind(
        added.name, added.name, rule, unit, "", "property_violation", engines, is_ordered=True, property=added
    )
    KINDS[added.name] = kind
    for engine in engines:
        ENGINES[engine][added.name] = engines[engine]
    return kind


@cache
def definition(kind: str) -> Definition:
    """The definition of the kind of that name."""
    return KINDS[kind].definition()


def need_no_order(names: Iterable[str]) -> None:
    """Refuse kinds of bugs that per-thread logs do not show."""
    for name in names:
        if name in _NEED_ORDER:
            message = f"per-thread logs do not show the order that a bug of kind {KINDS[name].option} is about"
            raise UsageError("trace-unordered", message, hint="leave it out")
