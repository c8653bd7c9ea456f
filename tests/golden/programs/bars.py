"""A bar is in the list of all bars before it has a position. After a report about tqdm."""

import threading

bars = []


class Bar:
    def __init__(self):
        bars.append(self)
        self.position = 0


def refresh():
    return [each.position for each in bars]


threads = [threading.Thread(target=Bar), threading.Thread(target=refresh)]
for each in threads:
    each.start()
for each in threads:
    each.join()
