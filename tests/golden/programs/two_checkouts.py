"""A pool that allows one checkout at a time allows two. After a report about SQLAlchemy."""

import threading


class Pool:
    checked_out = False

    def use(self):
        if self.checked_out:
            return
        self.checked_out = True
        using.append(1)
        assert len(using) == 1, "two at a time"
        using.pop()
        self.checked_out = False


using = []
pool = Pool()
threads = [threading.Thread(target=pool.use) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
