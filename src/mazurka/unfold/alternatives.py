"""Alternatives: where a configuration could go on without some of its extensions.

Definition (POR-SE, section 3.7; Nguyen, Rodríguez, Sousa, Coti, Petrucci: Quasi-optimal partial order reduction, CAV
2018). An *alternative* to a set D of events, after a configuration C, is a set J of known events such that C with J is
a configuration, and each event of D is in conflict with an event of J. A *k-partial* alternative is only asked to be in
conflict with k events of D. If a maximal configuration contains C and no event of D, there is an alternative; if there
is an alternative, there is such a configuration. A partial one may lead to a configuration that contains an event of D,
so that the execution is in vain.

With unknown inputs (events.py) C with J has to be satisfiable, too. That is enough: each event of D that is a branch is
prevented by the other side of it, which is an event in conflict; and C with J goes on to a maximal configuration for
any inputs that satisfy it.

To find an alternative is NP-complete. D is small, though: it has only those excluded events that can still happen after
C (a *sleep set*). The search tries the event of D with the fewest candidates first; after ``effort`` trials it is
content with a partial alternative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.symbolic.values import PathCondition
from mazurka.unfold.events import Configuration, UnfoldingEvent

#: Trials after which the search is content with a partial alternative.
_EFFORT: Final = 2_000


@dataclass(slots=True)
class AlternativeFinder:
    """Searches for alternatives with conflicts with at least ``k`` of the excluded events (None: all of them), whose
    conditions, with those of the configuration, are ``feasible``.

    ``trials`` and ``given_up`` count the candidates tried, and the searches that were content with less.
    """

    feasible: Callable[[Sequence[PathCondition]], bool]
    k: int | None = None
    effort: int = _EFFORT
    trials: int = 0
    given_up: int = 0

    def find(self, configuration: Configuration, excluded: Sequence[UnfoldingEvent]) -> list[UnfoldingEvent] | None:
        """The events of an alternative in an order in which they can be added; None if there is none. The last of
        ``excluded`` counts in any case."""
        if not excluded[-1].alternatives:
            return None
        limit, size = self.trials + self.effort, len(configuration.events)
        wanted = excluded if self.k is None else excluded[-self.k :]
        found = _Search(self, configuration, excluded, limit, size).find(wanted)
        if found is None and self.trials >= limit:
            self.given_up += 1
            found = _Search(self, configuration, excluded, self.trials + self.effort, size).find(excluded[-1:])
        return found


#: AlternativeFinder that vary, by thread, with the excluded events that each is an alternative to.
_Varying = dict[str, tuple[UnfoldingEvent, frozenset[UnfoldingEvent]]]


@dataclass(slots=True)
class _Search:
    """One search. ``size`` is that of the configuration before it; ``varying`` are the alternatives that vary, which
    come last; ``decisions`` has for each one the number of events that it added, and those that varied before it."""

    counts: AlternativeFinder
    configuration: Configuration
    excluded: Sequence[UnfoldingEvent]
    limit: int
    size: int
    varying: _Varying = field(default_factory=dict)
    decisions: list[tuple[int, _Varying]] = field(default_factory=list)

    def find(self, wanted: Sequence[UnfoldingEvent]) -> list[UnfoldingEvent] | None:
        found = self._meet(wanted)
        events = [*self.configuration.events[self.size :], *[event for event, _ in self.varying.values()]]
        while len(self.configuration.events) > self.size:
            self.configuration.pop()
        return events if found else None

    def _meet(self, wanted: Sequence[UnfoldingEvent]) -> bool:
        """Extend the configuration such that each of the wanted events is in conflict with an added one."""
        new = self.configuration.events[self.size :]
        left = [event for event in wanted if not self._is_met(event, new)]
        if not left:
            return self._order_varying()
        event = min(left, key=_candidates)
        for known in event.alternatives:
            for candidate in (known, *known.instead):
                self.counts.trials += 1
                if self.counts.trials > self.limit:
                    return False
                if self._join(candidate, event) and self._meet(wanted):
                    return True
                self._take_back()
        return False

    def _order_varying(self) -> bool:
        """Put the alternatives that vary in order: last those whose event is known, unless the others, which come
        before it, are in conflict with that. False if no other does."""
        known = {thread for thread, (varying, _) in self.varying.items() if self._is_known(varying)}
        if known and len(known) == len(self.varying):
            return False
        self.varying = dict(sorted(self.varying.items(), key=lambda item: item[0] in known))
        return True

    def _is_met(self, event: UnfoldingEvent, new: list[UnfoldingEvent]) -> bool:
        return any(other.depends(event) for other in new) or any(event in met for _, met in self.varying.values())

    def _join(self, candidate: UnfoldingEvent, event: UnfoldingEvent) -> bool:
        """Add a candidate that is in conflict with ``event``, and the events it needs; returns whether it can be."""
        self.decisions.append((0, self.varying))
        missing = None if candidate.refuted else self.configuration.to_reach(candidate)
        if missing is None or not (missing or candidate.varies) or not all(map(self._is_allowed, missing)):
            return False
        for each in missing:
            self.configuration.push(each)
        self.decisions[-1] = len(missing), self.varying
        branches = any(each.condition is not None for each in missing)
        if branches and not self.counts.feasible(self.configuration.conditions):
            return False
        self.varying = {thread: known for thread, known in self.varying.items() if not self._is_decided(known[0])}
        if not candidate.varies:
            return candidate.depends(event) and not candidate.has_before(event)
        other, met = self.varying.get(candidate.thread, (candidate, frozenset()))
        self.varying = {**self.varying, candidate.thread: (other, met | {event})}
        return True

    def _take_back(self) -> None:
        count, self.varying = self.decisions.pop()
        for _ in range(count):
            self.configuration.pop()

    def _is_decided(self, varying: UnfoldingEvent) -> bool:
        """Whether the configuration has an event in place of one that varies."""
        last = self.configuration.last.get(varying.thread)
        return last is not None and last.ordinal >= varying.ordinal

    def _is_known(self, candidate: UnfoldingEvent) -> bool:
        """Whether it is known which event an event that varies would be here: then that is a candidate of its own."""
        for event in (*candidate.instead, *self.excluded):
            if event.thread == candidate.thread and event.previous is candidate.previous:
                missing = self.configuration.to_reach(event)
                if missing is not None and len(missing) == 1:
                    return True
        return False

    def _is_allowed(self, event: UnfoldingEvent) -> bool:
        if event.refuted or event.cut or event in self.excluded:
            return False
        varying = self.varying.get(event.thread)
        return varying is None or event.ordinal != varying[0].ordinal or event.previous is varying[0].previous


def _candidates(event: UnfoldingEvent) -> int:
    return len(event.alternatives)
