"""Fixed hashing of strings, so that sets of them have the same order in each execution: Python reads it when it starts.

Commands start Python again for it, so this module imports nothing that takes time.
"""

from __future__ import annotations

import os
from typing import Final

#: The hash seed of every check.
SEED: Final = "0"


def pinned_environment() -> dict[str, str] | None:
    """The environment to start Python in again for fixed hashing; None if this one is already right."""
    if os.environ.get("PYTHONHASHSEED", "random") != "random":
        return None
    return {**os.environ, "PYTHONHASHSEED": SEED}
