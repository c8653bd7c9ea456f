"""A connection is closed, and its socket set to None, while another thread reads. After reports about clients."""

import threading


class Socket:
    def read(self):
        return b"answer"


class Client:
    def __init__(self):
        self.socket = Socket()

    def ask(self):
        if self.socket is None:
            return b""
        return self.socket.read()

    def close(self):
        self.socket = None


client = Client()
threads = [threading.Thread(target=client.ask), threading.Thread(target=client.close)]
for each in threads:
    each.start()
for each in threads:
    each.join()
