"""A server is used before its thread has opened it. After reports about tests that start servers."""

import threading


class Server:
    def start(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        self.port = 8000


server = Server()
server.start()
assert server.port == 8000
