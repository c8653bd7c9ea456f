"""Two threads read lines of text from one pipe: each takes all lines that are there."""

import os
import threading

reading, writing = os.pipe()
os.write(writing, b"one\ntwo\n")
os.close(writing)
seen = []
with os.fdopen(reading) as file:
    threads = [threading.Thread(target=lambda: seen.append(file.readline())) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
assert sorted(seen) == ["one\n", "two\n"], seen
