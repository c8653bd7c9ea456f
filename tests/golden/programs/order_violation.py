"""A worker uses a value that the main thread sets only after it has started it."""

import threading


class Server:
    def __init__(self):
        self.address = None

    def announce(self):
        return self.address.upper()


server = Server()
announcer = threading.Thread(target=server.announce)
announcer.start()
server.address = "localhost"
announcer.join()
