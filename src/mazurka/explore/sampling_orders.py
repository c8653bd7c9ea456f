"""Strategies that sample orders of conflicting operations, not just switches: ``pos`` and ``surw``.

:mod:`mazurka.program.runtime.policy` chooses the threads of a run, and names the sources; this module makes the plans.

``surw`` needs to know how often each thread will touch each location. It learns that from run 0, a random walk: every
later run takes one location that several threads accessed there, one of them writing, picked at random, and makes the
orders of the operations on it equally likely. If other runs take other paths, the numbers are wrong, and the orders
only roughly equally likely.

Invariant: as everywhere in sampling, a run's number (with the seed) determines it; so run 0 comes alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from mazurka.explore.sampling import RandomWalk
from mazurka.explore.strategy import JournalRecord, Lease, Seed
from mazurka.program.protocol import Plan, Run, TailPolicy
from mazurka.trace.event import READS, WRITES
from mazurka.trace.fingerprints import fingerprint_of_name

#: For each location, by its fingerprint, how often each thread touched it.
Profile = dict[int, dict[str, int]]


class PartialOrderWalk(RandomWalk):
    """The ``pos`` strategy: random priorities of pending operations, drawn again where they conflict."""

    name = "pos"

    def plan(self, number: int) -> Plan:
        """POS: a random priority for each pending step, drawn again for steps that conflict with the one taken."""
        return Plan(tail=TailPolicy.POS, seed=self.seed + number)


class ShownWalk(PartialOrderWalk):
    """``pos``, whose runs something else is shown, too: with the inputs that it searches."""

    draws_inputs = False
    show: Callable[[Run], None]

    def observe(self, seed: Seed, run: Run) -> None:
        super().observe(seed, run)
        self.show(run)


class SelectiveUniformWalk(RandomWalk):
    """The ``surw`` strategy: all orders of the operations on one location equally likely, a random one each run."""

    name = "surw"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.profile: Profile | None = None  # None: run 0 has not been made

    def plan(self, number: int) -> Plan:
        """SURW on a location drawn from the profile; without a profile, a random walk."""
        seed = self.seed + number
        if not self.profile:
            return super().plan(number)
        focus, weights = random.Random(seed).choice(list(self.profile.items()))
        return Plan(tail=TailPolicy.SURW, seed=seed, focus=focus, weights=tuple(weights.items()))

    def ready(self) -> int:
        """The first number that can't be run yet: only one run is made before there is a profile."""
        return super().ready() if self.profile is not None else min(1, super().ready())

    def observe(self, seed: Seed, run: Run) -> None:
        super().observe(seed, run)
        if self.profile is None:
            self.profile = contended(run)

    def records(self) -> list[JournalRecord]:
        return [*super().records(), *self._profile_records()]

    def _profile_records(self) -> list[JournalRecord]:
        if self.profile is None:
            return []
        weights = [(focus, *weight) for focus, weights in self.profile.items() for weight in weights.items()]
        return [("profile",), *(("weight", *weight) for weight in weights)]

    def restore(self, records: Iterable[JournalRecord]) -> None:
        kept = list(records)
        super().restore(kept)
        self._recall(kept)

    def _recall(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            match record:
                case ("profile",):
                    self.profile = {}
                case ("weight", focus, thread, count):
                    assert self.profile is not None
                    self.profile.setdefault(focus, {})[thread] = count

    def grant_leases(self, parts: int) -> list[Lease]:
        leases = super().grant_leases(parts)
        for lease in leases:
            lease.records.extend(self._profile_records())
        return leases

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        kept = None if records is None else list(records)
        super().settle_lease(number, kept)
        if self.profile is None:
            self._recall(kept or ())


def contended(run: Run) -> Profile:
    """For each location that several threads accessed and one wrote, how often each thread was at a point before an
    access."""
    found: Profile = {}
    written: set[int] = set()
    for step in run.log:
        if not (step.point and (READS[step.op] or WRITES[step.op])):
            continue
        printed = fingerprint_of_name(step.target)
        counts = found.setdefault(printed, {})
        thread = run.tasks[step.task]
        counts[thread] = counts.get(thread, 0) + 1
        if WRITES[step.op]:
            written.add(printed)
    return {printed: counts for printed, counts in found.items() if printed in written and len(counts) > 1}
