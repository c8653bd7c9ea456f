"""The last of two users closes a shared handle; each counts itself out."""

import threading


class Handle:
    users = 2
    closed = False

    def release(self):
        self.users -= 1
        if self.users == 0:
            assert not self.closed
            self.closed = True


handle = Handle()
threads = [threading.Thread(target=handle.release) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert handle.closed
