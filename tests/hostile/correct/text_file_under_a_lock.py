"""Two threads read lines from one text file, one at a time."""

import pathlib
import tempfile
import threading

lock = threading.Lock()
seen = []


def read():
    with lock:
        seen.append(file.readline())
    with lock:
        seen.extend(file.readlines(1))


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "lines"
    path.write_text("one\ntwo\nthree\nfour\n")
    with path.open() as file:
        threads = [threading.Thread(target=read) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
assert sorted(seen) == ["four\n", "one\n", "three\n", "two\n"], seen
