"""A pool of one connection makes two. After a report about redis."""

import threading


class Pool:
    made = 0
    most = 1

    def get(self):
        if self.made >= self.most:
            return None
        self.made += 1
        return object()


pool = Pool()
got = []
threads = [threading.Thread(target=lambda: got.append(pool.get())) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sum(each is not None for each in got) == 1
