"""The server looks every half a second whether it is to stop; its threads have ended once it is closed."""

import socket
import socketserver
import threading

answered = []


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())
        answered.append(1)


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    with socket.create_connection(server.server_address) as client:
        client.sendall(b"a\n")
        assert client.recv(10) == b"A\n"
    server.shutdown()
    thread.join()
assert answered
