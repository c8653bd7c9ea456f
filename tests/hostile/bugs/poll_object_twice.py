"""One poll object waits for one thread only: the other gets a RuntimeError."""

import os
import select
import threading

r, w = os.pipe()
p = select.poll()
p.register(r, select.POLLIN)
err = []


def look():
    try:
        p.poll(1000)
    except RuntimeError as e:
        err.append(e)


threads = [threading.Thread(target=look) for _ in range(2)]
for each in threads:
    each.start()
os.write(w, b"x")
for each in threads:
    each.join()
assert not err
