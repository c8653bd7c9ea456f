"""`__iter__` of a user's class gives the iterator of a list that others change."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Names:
    def __init__(self):
        self.names = ["a", "b"]

    def __iter__(self):
        return iter(self.names)


names = Names()


def look():
    assert list(names) != ["b"]
    assert "".join(names) in ("ab", "")


run(look, lambda: names.names.pop(0))
