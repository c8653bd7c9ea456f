"""The settings of a program's executions, common to all front ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import MemoryModel
from mazurka.program.runtime.task import Limits
from mazurka.trace.logged_calls import CallEffect

if TYPE_CHECKING:
    from mazurka.properties.property import Property


class Isolation(Enum):
    """How each run gets the state it starts from."""

    AUTO = "auto"
    RESTORE = "restore"
    FORK = "fork"


class CallModels(Protocol):
    """The effects of calls of marked objects, by the type that specifies them."""

    def prepare(self, type_name: str) -> None:
        """Load the model of a type: nothing is loaded later."""
        ...

    def describes(self, type_name: str, method: str) -> bool:
        """Whether a type and its method are known."""
        ...

    def effect(self, type_name: str, method: str, arguments: str, before: str) -> CallEffect | None:
        """The effect of a call on an object in a state; None if that is not known, or it would have to wait."""
        ...


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """How a program is to be run: modules below ``roots`` are tracked, and those that ``include`` names."""

    roots: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    isolation: Isolation = Isolation.AUTO
    limits: Limits = field(default_factory=Limits)
    memory: MemoryModel = MemoryModel.SC
    invariant: str = ""
    at_end: Callable[[Any], object] | None = None  # called with the program's result when all threads have ended
    cache: str | None = None
    races: bool = False  # whether runs report their data races
    leaks: bool = False  # whether runs of C programs report memory that is not freed
    properties: tuple[Property, ...] = ()  # that runs are held to
    records_events: bool = False  # whether runs record the events of these properties, and are not held to them
    models: CallModels | None = None  # without them no calls are single steps
