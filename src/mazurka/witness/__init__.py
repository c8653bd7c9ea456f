"""What a claim shows, and the checker that believes it or not."""

from mazurka.witness.check import Checker, contradictions, objections
from mazurka.witness.witness import (
    Circles,
    Claim,
    Deadlocks,
    Fails,
    Halts,
    Intrudes,
    Inverts,
    Ordered,
    Races,
    Stuck,
    Waiting,
    Witness,
)

__all__ = [
    "Checker",
    "Circles",
    "Claim",
    "Deadlocks",
    "Fails",
    "Halts",
    "Intrudes",
    "Inverts",
    "Ordered",
    "Races",
    "Stuck",
    "Waiting",
    "Witness",
    "contradictions",
    "objections",
]
