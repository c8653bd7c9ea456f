"""A pool of connections is evicted between looking it up and using it (urllib3 #1252)."""

import threading

from urllib3 import PoolManager

manager = PoolManager(num_pools=1)


def work(host):
    pool = manager.connection_from_host(host)
    pool._get_conn()  # the first step of pool.urlopen(); the network is not reached


threads = [threading.Thread(target=work, args=(host,)) for host in ("one", "two")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
