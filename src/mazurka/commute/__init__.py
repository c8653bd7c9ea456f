"""Which calls of shared objects commute: a language of conditions, their check, and specifications of common types.

A user's specification imports the parts of its models from here.
"""

from __future__ import annotations

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Opaque, Raised

__all__ = ["BLOCKED", "Opaque", "Raised", "SharedType", "Step"]
