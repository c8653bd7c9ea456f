"""New files, which are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def open_new(folder: Path, prefix: str) -> tuple[int, str]:
    """Make a file with a name of its own in a folder: its descriptor, open for writing, and its path. Unlike with
    `tempfile.mkstemp`, who may read it is up to the umask."""
    while True:
        path = folder / f"{prefix}{secrets.token_hex(8)}"
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), str(path)
        except FileExistsError:
            continue
