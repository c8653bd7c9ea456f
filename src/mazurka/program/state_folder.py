"""The folders for data that belongs to a user, and to no project, and outlasts processes."""

from __future__ import annotations

import os


def state_folder() -> str:
    """The folder for state that should outlast a user's programs (XDG Base Directory Specification)."""
    return _below("XDG_STATE_HOME", os.path.join(".local", "state"))


def cache_folder() -> str:
    """The folder for data that a user's programs could make again (the same specification)."""
    return _below("XDG_CACHE_HOME", ".cache")


def _below(variable: str, usual: str) -> str:
    home = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), usual)
    return os.path.join(home, "mazurka")
