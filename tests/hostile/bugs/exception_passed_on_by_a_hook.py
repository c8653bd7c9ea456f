"""The program's hook counts the exceptions that end its threads, and passes them on."""

import threading

ended = []
before = threading.excepthook
jobs = []


def count(args):
    ended.append(args.exc_type)
    before(args)
    raise args.exc_value


threading.excepthook = count


threads = [threading.Thread(target=lambda: jobs.append(1)), threading.Thread(target=lambda: jobs.pop())]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert ended == []
