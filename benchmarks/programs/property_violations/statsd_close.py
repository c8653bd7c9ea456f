"""A thread sends a count, while another one closes the client. The server is in memory."""

# package: statsd
# include: statsd
# property: none-dereference
# in: statsd/client/stream.py
# fails with: AttributeError: 'NoneType' object has no attribute 'sendall'

import threading

from statsd import TCPStatsClient


class Server:
    def sendall(self, data):
        pass

    def close(self):
        pass


class Client(TCPStatsClient):
    def connect(self):
        self._sock = Server()


client = Client()
client.connect()
threads = [threading.Thread(target=client.incr, args=("requests",)), threading.Thread(target=client.close)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
