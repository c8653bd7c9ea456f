"""The last live connection is dropped between a look at the list and its use. After a report about elasticsearch."""

import threading

live = ["connection"]


def get():
    if not live:
        return None
    return live[len(live) - 1]


threads = [threading.Thread(target=get), threading.Thread(target=live.remove, args=("connection",))]
for each in threads:
    each.start()
for each in threads:
    each.join()
