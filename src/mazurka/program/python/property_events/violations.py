"""A violation of a property ends a controlled run, as a failure."""

from __future__ import annotations

from typing import Any

from mazurka.program.python import stacks
from mazurka.program.python.instrument import sites
from mazurka.program.runtime.property_monitors import Reported, failure_of
from mazurka.properties.monitor import Match
from mazurka.properties.property import Property


def violated(run: Any, stated: Property, reported: list[Reported], match: Match) -> None:
    """Note the failure, and end the run."""
    frames = stacks.readable(stacks.frames())
    run.failures.append(failure_of(run, stated, reported, match, sites.location, frames))
    run.stop()
