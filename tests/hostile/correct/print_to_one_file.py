"""``print`` writes its parts one by one, and lets nobody in between."""

import pathlib
import tempfile
import threading

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "lines"
    with path.open("w") as file:
        threads = [threading.Thread(target=print, args=("a", "b"), kwargs={"file": file})]
        threads.append(threading.Thread(target=lambda: print("c", "d", file=file)))
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sorted(path.read_text().splitlines()) == ["a b", "c d"]
