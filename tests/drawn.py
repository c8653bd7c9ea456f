"""The number of drawn programs, traces and the like that a test goes through: in the runs of `make test` a third."""

from __future__ import annotations

import os
from typing import Final

_PART: Final = 3 if "SAMPLED_CASES" in os.environ else 1


def some_of(number: int) -> int:
    """``number``, or a third of it where tests run some of their cases only."""
    return max(number // _PART, 1)
