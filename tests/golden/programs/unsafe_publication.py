"""A bar can be found in the list before its position is set."""

import threading

bars = []


class Bar:
    def __init__(self):
        bars.append(self)
        self.position = len(bars)


def highest():
    position = 0
    for bar in bars:
        position = max(position, bar.position)
    return position


maker = threading.Thread(target=Bar, name="maker")
reader = threading.Thread(target=highest, name="reader")
maker.start()
reader.start()
maker.join()
reader.join()
