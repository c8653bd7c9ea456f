"""A file with data to be flushed is closed by two threads: one may wait for the other's flush, and then fail."""

import tempfile
import threading

file = tempfile.TemporaryFile("w+")
file.write("a")
failed = []


def close():
    try:
        file.close()
    except ValueError:
        failed.append(file)


threads = [threading.Thread(target=close), threading.Thread(target=close)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not failed
