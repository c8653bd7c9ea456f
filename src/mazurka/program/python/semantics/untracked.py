"""Untracked operations of a run, counted by kind and place: with any, the program is never verified."""

from __future__ import annotations

from typing import Any

from mazurka.program.python.instrument import sites


def count_untracked(run: Any, what: str, site: int) -> None:
    """Something shared was used in a way that is not tracked."""
    text = f"{what} at {sites.location(site)}"
    run.untracked[text] = run.untracked.get(text, 0) + 1
