"""A queue in C keeps its item without iterating over it."""

import contextvars
import queue
import threading


class Pages:
    text = "first"

    def __iter__(self):
        yield self.text


given = queue.SimpleQueue()
current = contextvars.ContextVar("current")


def put():
    pages = Pages()
    given.put(pages)
    given.put(each for each in pages)
    current.set(pages)
    assert current.get() is pages


def take():
    pages, text = given.get(), given.get()
    assert pages.text == next(text)
    text.close()


threads = [threading.Thread(target=each) for each in (put, take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
