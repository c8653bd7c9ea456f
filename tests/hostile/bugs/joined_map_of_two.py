"""Two threads join the elements of one `map`: the second gets the rest."""

import threading

letters = map(str, [1, 2])
got = []


class Writer:
    concat = b"".join

    def __init__(self):
        self.text = "".join


writer = Writer()


def take():
    got.append(writer.text(letters))


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert "12" in got and got[0] == "12"
