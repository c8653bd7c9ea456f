"""A thread notifies a condition whose lock another thread has: CPython looks only whether the lock is held."""

import threading

condition = threading.Condition(threading.Lock())
count = 0
seen = []


def look():
    try:
        condition.notify()
    except RuntimeError:
        return
    seen.append(count)


def change():
    global count
    with condition:
        count += 1
        condition.notify_all()


threads = [threading.Thread(target=each) for each in (change, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [0], "looked while the other thread was about to change it"
