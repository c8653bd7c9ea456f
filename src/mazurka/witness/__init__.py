"""Witnesses of claims, and the checker that accepts or rejects them."""

from mazurka.witness.check import Checker, contradictions, objections
from mazurka.witness.witness import (
    AssumedObject,
    AtomicityViolation,
    CallsReversed,
    Claim,
    CommunicationDeadlock,
    Deadlocks,
    DeadlockState,
    Fails,
    LivelockLasso,
    Ordered,
    OrderViolation,
    PropertyViolation,
    Races,
    StuckThread,
    Witness,
)

__all__ = [
    "AssumedObject",
    "AtomicityViolation",
    "CallsReversed",
    "Checker",
    "Claim",
    "CommunicationDeadlock",
    "DeadlockState",
    "Deadlocks",
    "Fails",
    "LivelockLasso",
    "OrderViolation",
    "Ordered",
    "PropertyViolation",
    "Races",
    "StuckThread",
    "Witness",
    "contradictions",
    "objections",
]
