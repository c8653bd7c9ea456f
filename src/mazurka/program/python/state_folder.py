"""Where what belongs to a user, and to no project, outlasts processes."""

from __future__ import annotations

import os


def state_folder() -> str:
    """Where a user's programs keep what should outlast them (XDG Base Directory Specification)."""
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(home, "mazurka")
