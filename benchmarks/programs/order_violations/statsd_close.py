"""A counter is sent while the client is closed."""

# package: statsd
# include: statsd
# shows: socket.send(), which then raises OSError
# comes of it: the counter is dropped without a word; a little later the attribute is None: AttributeError
# reference: none

import threading
import time

from statsd import StatsClient


def main():
    client = StatsClient("127.0.0.1")
    thread = threading.Thread(target=client.incr, args=("requests",))
    thread.start()
    time.sleep(0.1)
    client.close()
    thread.join()


main()
