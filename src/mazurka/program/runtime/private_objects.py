"""The objects of a run that only one thread has touched so far: accesses of them leave nothing in the log.

An object is *private* from its first access on, until another thread touches any part of it, or the thread reaches a
site that needs a point. Meanwhile only which accesses there were is kept, not how many and in which order. As soon as
another thread touches the object, they are entered where :mod:`sharing` would have entered them at once; so the run
finds the same new points, and the next one logs these accesses. In a run that finds no new points, accesses without a
step have no conflict with any access of another thread.

What looks at a log for accesses to certain objects, beyond conflicts, has to ask :meth:`PrivateObjects.accessed_by` for
accesses that are not there.

Cost: objects with the same class and the same accesses have one :class:`AccessSet`; a tenth of a microsecond for an
access that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mazurka.trace.targets import ATTRIBUTE, Target

#: An access: whether it writes, the name of the attribute, and the site.
_Access = tuple[bool, str, int]


class AccessSet:
    """The accesses of one thread to an object of one class. Hooks need not look at an access again that is among the
    ``known``: sites for reads, and ``~site`` for writes. ``further`` are the sets with one access more."""

    __slots__ = ("accesses", "further", "kind", "known", "task")

    def __init__(self, task: Any, kind: type, accesses: frozenset[_Access]) -> None:
        self.task = task
        self.kind = kind
        self.accesses = accesses
        self.known: set[int] = set()
        self.further: dict[int, AccessSet] = {}


class PrivateObjects:
    """The private objects of one run, by number."""

    __slots__ = ("_former", "_sets", "objects")

    def __init__(self) -> None:
        self.objects: dict[int, AccessSet] = {}
        self._former: dict[int, AccessSet] = {}  # of objects that were private
        self._sets: dict[tuple[int, type, frozenset[_Access]], AccessSet] = {}

    def begin(self, number: int, task: Any, kind: type) -> None:
        """An object is about to be touched for the first time."""
        known = task.made.get(kind)
        if known is None:
            task.made = {**task.made, kind: (known := self._set(task, kind, frozenset()))}
        self.objects[number] = known
        task.own += 1

    def add(self, number: int, before: AccessSet, writes: bool, name: str, site: int) -> None:
        """A private object is accessed, perhaps in one more way."""
        access, key = (writes, name, site), ~site if writes else site
        if access in before.accesses:
            before.known.add(key)
            return
        found = before.further[key] = self._set(before.task, before.kind, before.accesses | {access})
        found.known.add(key)
        self.objects[number] = found

    def _set(self, task: Any, kind: type, accesses: frozenset[_Access]) -> AccessSet:
        key = (task.index, kind, accesses)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = AccessSet(task, kind, accesses)
        return found

    def end(self, number: int) -> Iterator[tuple[Target, bool, int]]:
        """An object is private no longer: its accesses up to now, each with whether it writes and the site."""
        known = self.objects.pop(number)
        if known.accesses:
            self._former[number] = known
        for writes, name, site in known.accesses:
            yield (ATTRIBUTE, number, name), writes, site

    def look_again(self) -> None:
        """What hooks know of sites, or of classes, has changed."""
        for each in self._sets.values():
            each.known.clear()
            each.further.clear()

    def accessed_by(self, number: int) -> int | None:
        """The thread that has made accesses to an object which are not logged, by index, or None."""
        known = self.objects.get(number) or self._former.get(number)
        return known.task.index if known is not None and known.accesses else None

    def written(self) -> Iterator[Target]:
        """The locations that were written by accesses which are not logged."""
        for number, known in (*self.objects.items(), *self._former.items()):
            for writes, name, _ in known.accesses:
                if writes:
                    yield ATTRIBUTE, number, name

    def keep(self, exists: Callable[[int], bool]) -> None:
        """Forget the objects that do not exist any more."""
        for number in [each for each in self.objects if not exists(each)]:
            del self.objects[number]
