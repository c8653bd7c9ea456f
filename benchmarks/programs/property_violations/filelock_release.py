"""Two threads release a lock of a file that is not local to threads, and with it one descriptor."""

# package: filelock
# include: filelock
# property: double-close
# in: filelock/_unix.py
# fails with: OSError: [Errno 9] Bad file descriptor
# found by: check
# release: filelock==3.12.0

import os
import tempfile
import threading

from filelock import FileLock

folder = tempfile.mkdtemp()
lock = FileLock(os.path.join(folder, "lock"), thread_local=False)


def end():
    lock.release(force=True)


lock.acquire()
threads = [threading.Thread(target=end) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
