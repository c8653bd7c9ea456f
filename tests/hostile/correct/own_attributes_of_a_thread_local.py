"""Each thread counts in its own attribute of a `threading.local`, which begins with the value of the class."""

import threading


class Counter(threading.local):
    value = 0

    def count(self):
        self.value += 1
        return self.value


counter = Counter()


def work():
    counter.value += 1
    assert counter.count() == 2
    del counter.value
    assert counter.value == 0


threads = [threading.Thread(target=work), threading.Thread(target=work)]
for each in threads:
    each.start()
for each in threads:
    each.join()
