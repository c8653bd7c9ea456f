"""A search for a line in a text file does not flush it."""

import os
import tempfile
import threading

held = tempfile.TemporaryFile("w+")
guard = threading.Lock()
sizes = []


def search():
    with guard:
        held.writelines(["c", "d"])
        assert next(held, None) is None
        sizes.append(os.fstat(held.fileno()).st_size)


threads = [threading.Thread(target=search) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
held.close()
assert sizes == [0, 0], sizes
