"""Weakref.finalize(token, items.clear) made before threads run; called in a thread."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Token:
    pass


token = Token()
items = [1]
end = weakref.finalize(token, items.clear)


def look():
    if items:
        items[0]


def clear():
    end()


run(look, clear)
