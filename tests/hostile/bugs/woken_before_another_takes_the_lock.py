"""A thread wakes a waiter without having the lock; the waiter goes on before a third thread takes the lock."""

import threading

condition = threading.Condition(threading.Lock())
notified = []


def wait():
    with condition:
        condition.wait()
    notify()


def notify():
    try:
        condition.notify()
    except RuntimeError:
        return
    notified.append(threading.current_thread())


def signal():
    with condition:
        condition.notify()


threads = [threading.Thread(target=each) for each in (wait, signal, notify)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert len(notified) < 2, "both have notified while others had the lock"
