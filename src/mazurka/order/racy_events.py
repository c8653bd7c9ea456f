"""The result of every order: the events of a trace that race under it, each with an earlier event that it races
with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RacyEvents:
    """``event`` ascending, without repetition; ``partner[i]`` is an earlier event that ``event[i]`` races with.

    Events are numbers of rows. If an event has several partners, the order chooses one.
    """

    event: Numbers
    partner: Numbers

    def __len__(self) -> int:
        return len(self.event)

    def pairs(self) -> Iterable[tuple[int, int]]:
        """(earlier, later) event, by later event."""
        return zip(self.partner.tolist(), self.event.tolist(), strict=True)

    def locations(self, site: Any) -> set[tuple[int, int]]:
        """The unordered pairs of places that race; ``site`` is the trace's column of places."""
        places = np.asarray(site)
        one, other = places[self.partner], places[self.event]
        return set(zip(np.minimum(one, other).tolist(), np.maximum(one, other).tolist(), strict=True))


def sorted_events(event: Any, partner: Any) -> RacyEvents:
    """The racy events, given in any order."""
    order = np.argsort(event, kind="stable")
    return RacyEvents(np.asarray(event, np.int32)[order], np.asarray(partner, np.int32)[order])
