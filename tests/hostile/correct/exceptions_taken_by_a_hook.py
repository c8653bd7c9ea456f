"""The program's hook takes the exceptions that end its threads."""

import threading

ended = []
threading.excepthook = lambda args: ended.append(args.exc_type)
lock = threading.Lock()
jobs = [1]


def work():
    with lock:
        jobs.pop()


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert ended == [IndexError]
