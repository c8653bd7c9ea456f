"""Daemons that outlive main take turns: no one sees the other's work half done."""

import threading

lock = threading.Lock()
pair = [0, 0]


def move():
    with lock:
        assert pair[0] == pair[1]
        pair[0] += 1
        pair[1] += 1


for _ in range(2):
    threading.Thread(target=move, daemon=True).start()
with lock:
    assert pair[0] == pair[1]
