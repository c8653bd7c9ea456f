"""The settings of a program's executions, common to all front ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mazurka.program.memory import MemoryModel
from mazurka.program.runtime.task import Limits


class Isolation(Enum):
    """How each run gets the state it starts from."""

    AUTO = "auto"
    RESTORE = "restore"
    FORK = "fork"


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
