"""Mazurka finds, explains and replays concurrency bugs in threaded Python programs."""

from __future__ import annotations

__version__ = "0.1.0"
