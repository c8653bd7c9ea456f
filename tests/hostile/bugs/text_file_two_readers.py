"""Two threads read lines from one text file: the one that comes late to the end throws away lines that the other has
read."""

import pathlib
import tempfile
import threading

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "lines"
    path.write_text("one\ntwo\n")
    seen = []
    with path.open() as file:
        threads = [threading.Thread(target=lambda: seen.append(file.readline())) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
assert sorted(seen) == ["one\n", "two\n"], seen
