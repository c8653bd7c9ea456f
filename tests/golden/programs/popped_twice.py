"""Two threads take a free connection if there is one."""

import threading

free = ["connection"]


def take():
    if free:
        return free.pop()
    return None


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
