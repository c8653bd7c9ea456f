"""Fingerprints of names: the same in every process."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

_prints: dict[Any, int] = {}


def fingerprint_of_name(name: Any) -> int:
    """A fingerprint of a thread's or a target's name that is the same in every process."""
    made = _prints.get(name)
    if made is None:
        if len(_prints) > 1_000_000:
            _prints.clear()
        digest = blake2b(repr(name).encode(), digest_size=8).digest()
        made = _prints[name] = int.from_bytes(digest, "big") >> 4 | 1
    return made
