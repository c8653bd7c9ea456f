"""Methods in C that a thread keeps in `threading.local`: each thread calls its own, whatever the class has."""

import threading


class Kept(threading.local):
    size = [1, 2].__len__


kept = Kept()
kept.size = [1].__len__


def work():
    assert kept.size() == 2
    kept.size = [1, 2, 3].__len__
    assert kept.size() == 3


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert kept.size() == 1
