"""`fcntl` asks something of a file object that another thread closes; if that goes first, there is no descriptor."""

import fcntl
import tempfile
import threading

file = tempfile.TemporaryFile()
seen = []


def close():
    file.close()


def ask():
    try:
        seen.append(fcntl.fcntl(file, fcntl.F_GETFD))
    except (OSError, ValueError):
        seen.append(None)


threads = [threading.Thread(target=close), threading.Thread(target=ask)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == [None], seen
