"""The cause of an error says that its context is not shown."""

import threading

error = KeyError()
seen = []


def first():
    seen.append(error.__suppress_context__)


def second():
    error.__cause__ = ValueError()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [False]
