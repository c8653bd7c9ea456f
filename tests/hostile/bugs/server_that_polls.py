"""The answer arrives before the thread that gave it has noted so."""

import socket
import socketserver
import threading

answered = []


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())
        answered.append(1)


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.serve_forever)
thread.start()
with socket.create_connection(server.server_address) as client:
    client.sendall(b"a\n")
    assert client.recv(10) == b"A\n"
server.shutdown()
thread.join()
count = len(answered)
server.server_close()
assert count
