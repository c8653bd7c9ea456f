"""Two parts of an archive in one file; a look at the position needs the lock, too. After a report about zipfile."""

import io
import threading

archive = io.BytesIO(b"aaaabbbb")
lock = threading.Lock()


class Part:
    def __init__(self, start):
        self.position = start

    def read(self, size):
        with lock:
            archive.seek(self.position)
            data = archive.read(size)
        self.position = archive.tell()
        return data


def use(start, expected):
    part = Part(start)
    assert part.read(2) + part.read(2) == expected


threads = [threading.Thread(target=use, args=each) for each in ((0, b"aaaa"), (4, b"bbbb"))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
