"""Two blocks each put a global setting back as they found it. After reports about warnings.catch_warnings."""

import threading

filters = ["default"]


class Quiet:
    def __enter__(self):
        global filters
        self.before = filters
        filters = ["ignore"]

    def __exit__(self, *_):
        global filters
        filters = self.before


def work():
    with Quiet():
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert filters == ["default"], filters
