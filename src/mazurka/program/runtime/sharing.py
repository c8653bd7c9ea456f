"""The locations that several threads of a run share, and by these, the sites that need points.

A location is shared once two threads have touched it and one of the accesses was a write. From then on every site that
accesses it needs a point, those included that accessed it before: the run has *found new points*, which hold for all
runs after it, by :attr:`Learned.points`.

Cost: two dictionary look-ups for a site's first access of a location. The runtime itself handles accesses by sites that
it has already seen there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from mazurka.program.runtime.private_objects import PrivateObjects
from mazurka.program.runtime.task import PRESENCE_POINTS
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Target

_READ: Final = Op.READ

#: The entry of :attr:`Sharing.touched` for locations that are shared.
SHARED: Final[list[Any]] = [-1, True, frozenset()]

#: Records of so many sites are not kept for other locations: a global that is read at n sites has n of them.
_FEW: Final = 8

#: When a run is cut, so many last steps of a thread that went on alone are looked at.
LATELY: Final = 100


class Sharing:
    """The shared locations of one run."""

    __slots__ = ("_records", "came", "found_new_points", "points", "private", "stored", "touched")

    def __init__(self, points: set[int]) -> None:
        self.points = points
        self.found_new_points = False
        self.stored: dict[Target, int] = {}  # keys that a store left there -> the thread, or -1 for several
        self.came: dict[Target, int] = {}  # keys that a store added or removed -> the same
        # target -> (only task or -1, written?, its sites that are no points), one tuple for all targets with the same
        self.touched: dict[Target, Any] = {}
        self._records: dict[tuple[int, bool, Any], Any] = {}
        self.private = PrivateObjects()

    def touch(self, index: int, op: Op, target: Target, site: int, point: bool) -> None:
        """A thread touches a location, at a site that is known to be a point or not (``point``)."""
        record = self.touched.get(target)
        if record is SHARED:
            if not point:
                self.learn((site,))
            return
        if self.private.objects and (record is None or record[0] != index) and len(target) > 1:
            self._expose(index, target[1])
            record = self.touched.get(target)
        if record is None:
            self.touched[target] = self.first(index, op is not _READ and WRITES[op], site)
            return
        only, written, sites = record
        if only != index:
            only = -1
        written = written or WRITES[op]
        if only == -1 and written:
            self.touched[target] = SHARED
            self.learn({*sites, site})
        else:
            self.touched[target] = self._record(only, written, sites if site in sites else sites | {site})

    def first(self, index: int, writes: bool, site: int) -> Any:
        """The record of a location after its first access."""
        known = self._records.get((index, writes, site))
        if known is None:
            known = self._records[index, writes, site] = self._record(index, writes, frozenset((site,)))
        return known

    def _record(self, index: int, writes: bool, sites: frozenset[int]) -> Any:
        record = (index, writes, sites)
        return self._records.setdefault(record, record) if len(sites) < _FEW else record

    def note(self, target: Target, index: int, writes: bool, site: int) -> None:
        """Enter an access of the only thread that has touched a location, if any has."""
        record = self.touched.get(target)
        if record is None:
            self.touched[target] = self.first(index, writes, site)
        else:
            self.touched[target] = self._record(index, record[1] or writes, record[2] | {site})

    def _expose(self, index: int, key: Any) -> None:
        """A thread touches part of an object, given by its number, which may be private to another thread."""
        known = self.private.objects.get(abs(key)) if type(key) is int else None
        if known is not None and known.task.index != index:
            self.publish(abs(key))

    def publish(self, number: int) -> None:
        """A private object is private no longer: enter the accesses to it that left nothing in the log."""
        index = self.private.objects[number].task.index
        for target, writes, site in self.private.end(number):
            self.note(target, index, writes, site)

    def store(self, index: int, target: Target, changes: bool) -> None:
        """A thread adds or removes a key, or would have if the key had (not) been there (``changes``); or stores under
        the key.

        The effect of a store depends on whether the key is there. If other threads change this, stores have to read it:
        :data:`PRESENCE_POINTS`.
        """
        mine, others = (self.came, self.stored) if changes else (self.stored, self.came)
        if mine.setdefault(target, index) != index:
            mine[target] = -1
        if others.get(target, index) != index or (changes and mine[target] == -1):
            self.learn((PRESENCE_POINTS,))

    def learn(self, sites: Collection[int]) -> None:
        """Note that these sites, or marks, need points."""
        before = len(self.points)
        self.points.update(sites)
        if len(self.points) != before:
            self.found_new_points = True
            self.private.look_again()

    def learn_loop(self, log: Sequence[tuple[Any, ...]], index: int) -> None:
        """If a thread has gone on alone for long, the accesses of others to its targets are not known."""
        lately = log[-LATELY:]
        if len(lately) == LATELY and all(entry[0] == index and not entry[4] for entry in lately):
            self.learn({entry[3] for entry in lately})
