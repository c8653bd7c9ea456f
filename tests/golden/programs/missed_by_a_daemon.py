"""A daemon looks without the lock whether a gate is open, and may wait when it has been opened; main waits for it."""

import threading

changed = threading.Condition()
is_open = False


def open_gate():
    global is_open
    is_open = True
    with changed:
        changed.notify_all()


def enter():
    if not is_open:
        with changed:
            changed.wait()


threads = [threading.Thread(target=each, daemon=True) for each in (open_gate, enter)]
for each in threads:
    each.start()
for each in threads:
    each.join()
