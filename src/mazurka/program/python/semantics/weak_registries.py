"""Weak sets that threads add objects to, and that no code looks at while or after the threads run: registries for a
fork, or for the exit of the process.

An object enters such a set when it is made and leaves it when it ends. As long as no step reads the set, these
additions and ends commute with every other step: an addition returns None, raises no error, and runs no code of the
program, provided that the objects hash and compare by identity and nothing iterates over the set. So they are no steps
at all.

Any other access to the set, of whatever kind, has a location with the set's number. If a run in which threads added to
a set has such a location, in any order, :data:`REGISTRY_POINTS` is learnt, and in all later runs additions and ends of
members are steps that change the set (:func:`.natives.watch_members`). Each prefix of an execution with either only
additions or only looks is explored, as neither influences the other; so the first execution with both is found.

Cost: a look-up for each addition to a weak set; at the end of a run one pass over its locations, if there was any.
"""

from __future__ import annotations

import weakref
from typing import Any, Final

from mazurka.program.python.semantics import classification, objects
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import REGISTRY_POINTS

#: The numbers of the sets that were treated as unread in this run.
_unread: Final[set[int]] = per_run(set())

#: Set while a run lasts whose end nothing but the program itself looks at.
_allowed: Final[set[bool]] = per_run(set())


def begin() -> None:
    """A run begins, and only instrumented code will look at its objects."""
    _allowed.add(True)


def is_program_alone() -> bool:
    """Whether only instrumented code will look at the objects of the run."""
    return bool(_allowed)


def is_only_filled(run: Any, thing: Any, given: tuple[Any, ...], named: dict[str, Any] | None) -> bool:
    """Whether a call of the method ``add`` is an addition to a weak set that nothing looks at, and so no step."""
    if named or len(given) != 1 or not has_concurrent_threads(run) or not _is_plain(given[0]):
        return False
    return is_unread(run, thing)


def is_unread(run: Any, thing: Any) -> bool:
    """Whether additions to a weak set, and ends of its members, are no steps; if so, this is noted."""
    if type(thing) is not weakref.WeakSet or run.is_recording or not _allowed or REGISTRY_POINTS in run.points:
        return False
    space = objects.dictionary(thing)
    data = space.get("data")
    if type(data) is not set or space.get("_pending_removals") or space.get("_iterating"):
        return False
    members = [weakref.ref.__call__(each) for each in data if type(each) is weakref.ref]
    if len(members) < len(data) or not all(each is None or _is_plain(each) for each in members):
        return False
    _unread.add(objects.number(thing))
    return True


def _is_plain(member: Any) -> bool:
    """Whether an object can be a member, and hashes and compares by identity."""
    found = (classification.find(type(member), name) for name in ("__hash__", "__eq__"))
    by_identity = all(each is not None and each[0] is object for each in found)
    return by_identity and objects.can_be_watched(member)


def look_at_end(run: Any) -> None:
    """A run has ended: from now on additions are steps, if a step has looked at a set that threads added to."""
    if not _unread:
        return
    for target in run.touched:
        if len(target) > 1 and type(target[1]) is int and abs(target[1]) in _unread:
            run.sharing.learn((REGISTRY_POINTS,))
            return
