"""All globals are listed twice, while a thread stores one that was not there before."""

import threading


def look():
    assert sorted(globals()) == sorted(globals())


def change():
    global found
    found = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
