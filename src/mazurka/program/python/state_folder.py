"""Where what belongs to a user, and to no project, outlasts processes."""

from __future__ import annotations

import os


def state_folder() -> str:
    """Where a user's programs keep what should outlast them (XDG Base Directory Specification)."""
    return _below("XDG_STATE_HOME", os.path.join(".local", "state"))


def cache_folder() -> str:
    """Where a user's programs keep what they could make again (the same)."""
    return _below("XDG_CACHE_HOME", ".cache")


def _below(variable: str, usual: str) -> str:
    home = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), usual)
    return os.path.join(home, "mazurka")
