"""A pool of connections is evicted and closed between its look-up and its use. After a report about urllib3."""

import threading


class Connections:
    closed = False

    def request(self):
        if self.closed:
            raise RuntimeError("the pool is closed")


class Manager:
    def __init__(self):
        self.pools = {}

    def pool(self, host):
        if host not in self.pools:
            for each in list(self.pools):
                self.pools.pop(each).closed = True
            self.pools[host] = Connections()
        return self.pools[host]


manager = Manager()


def get(host):
    manager.pool(host).request()


threads = [threading.Thread(target=get, args=(host,)) for host in ("a.example", "b.example")]
for each in threads:
    each.start()
for each in threads:
    each.join()
