"""A thread that waits for a buffer over a pipe drops the lines that the other thread has left there."""

import os
import threading

reading, writing = os.pipe()
os.write(writing, b"one\ntwo\n")
seen = []
with os.fdopen(reading, "rb") as file:
    threads = [threading.Thread(target=lambda: seen.append(file.readline())) for _ in range(3)]
    for each in threads:
        each.start()
    os.write(writing, b"three\n")
    for each in threads:
        each.join()
os.close(writing)
assert sorted(seen) == [b"one\n", b"three\n", b"two\n"], seen
