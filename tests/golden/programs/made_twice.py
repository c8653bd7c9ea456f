"""A connection is made when it is first needed, by two threads."""

import threading


class Pool:
    made = 0
    connection = None

    def get(self):
        if self.connection is None:
            self.made += 1
            self.connection = object()
        return self.connection


pool = Pool()
got = []
threads = [threading.Thread(target=lambda: got.append(pool.get())) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got[0] is got[1]
