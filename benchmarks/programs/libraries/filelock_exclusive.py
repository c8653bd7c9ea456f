"""Two threads that share a file take turns."""

# package: filelock
# include: filelock
# expect: correct

import tempfile
from pathlib import Path

from filelock import FileLock
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder:
        inside = []

        def use():
            with FileLock(Path(folder, "lock")):
                inside.append(1)
                assert len(inside) == 1
                inside.pop()

        run(use, use)
