"""Numbers for the places of a program at which something is written, from which a decoder can go on in a ring that
has lost its beginning."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

from mazurka.flow.plan import FunctionPlan
from mazurka.lazy_dataclass import dataclass


class Where(enum.Enum):
    """What comes next."""

    #: The thread is outside of the program's functions.
    OUTSIDE = enum.auto()
    #: A node, by its number.
    NODE = enum.auto()
    #: The call at a node's end.
    CALL = enum.auto()
    #: The input that the call at a node's end brought in.
    INPUT = enum.auto()
    #: The first pass of a counted loop.
    LOOP = enum.auto()
    #: The rest of the caller of a function.
    RETURNED = enum.auto()
    #: The landing of a jump.
    JUMP = enum.auto()


class Lost(enum.IntEnum):
    """What a ring's first entry is, as `runtime.c` numbers it; below it's a number of so many bytes."""

    INPUT = 200
    LANDING = 201
    STAMP = 202
    PASSES = 204


@dataclass(frozen=True, slots=True)
class Site:
    """A place: of which function (by name, "" outside of all), and which node or counted loop there."""

    where: Where
    function: str = ""
    number: int = 0


class Sites:
    """The places of a program, and their numbers: 0 is outside of all functions."""

    def __init__(self, plans: Mapping[str, FunctionPlan]) -> None:
        self.sites = list(_sites(plans))
        self.numbers = {site: number for number, site in enumerate(self.sites)}


def _sites(plans: Mapping[str, FunctionPlan]) -> Iterator[Site]:
    yield Site(Where.OUTSIDE)
    yield Site(Where.JUMP)
    for name, plan in plans.items():
        yield Site(Where.RETURNED, name)
        for number in plan.graph.order:
            yield Site(Where.NODE, name, number)
            if plan.graph.nodes[number].call is not None:
                yield Site(Where.CALL, name, number)
                yield Site(Where.INPUT, name, number)
        for number in range(len(plan.paths.counted)):
            yield Site(Where.LOOP, name, number)
