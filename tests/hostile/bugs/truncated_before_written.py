"""A file is truncated while another thread writes: data that its buffer still holds reaches the file first."""

import tempfile
import threading

file = tempfile.TemporaryFile("w+")


def truncate():
    file.truncate(1)


def write():
    file.write("ab")


threads = [threading.Thread(target=truncate), threading.Thread(target=write)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file.seek(0)
text = file.read()
file.close()
assert text != "a", text
