"""Two threads write to one locked file."""

# package: portalocker
# include: portalocker
# expect: correct

import tempfile
from pathlib import Path

import portalocker
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log")
        got = []

        def write(line):
            try:
                with portalocker.Lock(path, "a", timeout=0, fail_when_locked=True) as stream:
                    stream.write(line)
                    got.append(line)
            except portalocker.LockException:
                pass

        run(lambda: write("a"), lambda: write("b"))
        assert got
        assert sorted(path.read_text()) == sorted(got)
