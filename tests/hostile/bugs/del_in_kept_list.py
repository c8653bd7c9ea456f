"""__del__ of an object in a list that the checker keeps alive: its end."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Res:
    def __del__(self):
        log.append(1)


class Box:
    pass


log = []
box = Box()
box.items = [Res()]


def drop():
    box.items[0]
    box.items = None


def look():
    assert not log


run(look, drop)
