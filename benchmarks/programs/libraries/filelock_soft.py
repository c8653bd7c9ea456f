"""Of two threads that try, one at least gets the lock."""

# package: filelock
# include: filelock
# expect: correct

import tempfile
from pathlib import Path

from filelock import FileLock, Timeout
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder:
        got = []

        def attempt():
            lock = FileLock(Path(folder, "lock"), blocking=False)
            try:
                with lock:
                    got.append(True)
            except Timeout:
                got.append(False)

        run(attempt, attempt)
        assert True in got
