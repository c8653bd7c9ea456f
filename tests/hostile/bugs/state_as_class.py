"""A connection is closed by giving it another class, while another thread is about to call a method."""

import threading


class Closed:
    def put(self, item):
        raise RuntimeError("it is closed")


class Open:
    def put(self, item):
        return item


connection = Open()


def use():
    assert connection.put(1) == 1


def close():
    connection.__class__ = Closed


threads = [threading.Thread(target=each) for each in (use, close)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
