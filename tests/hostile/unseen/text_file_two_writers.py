"""Before Python 3.12.4 a write that fills a text file's buffer may replace text that another thread has just
written."""

import pathlib
import tempfile
import threading

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "lines"
    with path.open("w") as file:

        def write(letter):
            file.write(letter * 5000)
            file.write(letter * 5000)

        threads = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len(path.read_text()) == 20000
