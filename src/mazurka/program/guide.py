"""Operations that a run is to be led to, known from another source such as a recording."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, Target, of_kinds

#: An operation that looks up or stores may be either: a missing element may be made, as by ``setdefault``.
_ALIKE: Final = ({Op.READ, Op.RMW}, {Op.WRITE, Op.RMW})

#: In place of the name of an attribute: the location is an item of a container, or the structure of the container.
ITEM_NAME: Final = "[]"


class GuideStep(NamedTuple):
    """An operation as it is known from a recording: by its thread, its source locations, and its kind."""

    thread: str
    op: Op
    sites: frozenset[SiteNumber]  # empty for an operation of a primitive
    name: str = ""  # of the attribute or global, if the operation accesses one, or ITEM_NAME; of an event's property
    stays: bool = False  # the thread is only to stop before the operation

    def is_met_by(self, pending: Any) -> bool:
        """Whether a thread's pending operation (policy.Pending) is this one."""
        if self.op is Op.POINT:
            return _is_of_property(pending.target) and pending.target[1] == self.name
        if pending.op is not self.op and {pending.op, self.op} not in _ALIKE:
            return False
        if self.sites and (pending.site not in self.sites or _is_of_property(pending.target)):
            return False
        return not self.name or is_called(pending.target, self.name)


#: Whether an operation is an event of a property alone: those of recordings are no accesses.
_is_of_property: Final = of_kinds(Kind.MONITORED)

_has_name: Final = of_kinds(Kind.ATTRIBUTE, Kind.GLOBAL)  # no attribute is called like an item


def is_called(target: Target, name: str) -> bool:
    """Whether a target may be the attribute or global of that name, or an item."""
    return not _has_name(target) or target[-1] == name
