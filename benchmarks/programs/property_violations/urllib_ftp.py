"""Two threads fetch a file over one cached connection, which the server has closed in the meantime."""

# package: CPython
# include: urllib.request
# property: unauthenticated-use
# in: urllib/request.py
# fails with: exception
# found by: check

import hashlib
import subprocess
import sys
import threading
import urllib.request

SERVER = """
import socket, sys, threading

def serve(connection, idle):
    lines = connection.makefile("rw", newline="\\r\\n")
    def say(text):
        print(text, file=lines, flush=True)
    say("220 ready")
    user, is_in, data = "", False, None
    for line in lines:
        command, _, rest = line.strip().partition(" ")
        if command == "USER":
            say("331 password?")
        elif command == "PASS":
            is_in = True
            say("230 welcome")
        elif command == "QUIT":
            say("221 bye")
            break
        elif not is_in:
            say("530 not logged in")
        elif command == "EPSV":
            data = socket.create_server(("127.0.0.1", 0))
            say(f"229 here (|||{data.getsockname()[1]}|)")
        elif command == "PASV":
            data = socket.create_server(("127.0.0.1", 0))
            port = data.getsockname()[1]
            say(f"227 here (127,0,0,1,{port // 256},{port % 256})")
        elif command == "RETR":
            say("150 coming")
            sent, _ = data.accept()
            sent.sendall(b"text")
            sent.close()
            data.close()
            say("226 done")
            if idle.pop():
                break
        else:
            say("200 fine")
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()

server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
idle = [False] * 20 + [True]
while True:
    threading.Thread(target=serve, args=(server.accept()[0], idle), daemon=True).start()
"""

server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
try:
    url = f"ftp://ada:secret@127.0.0.1:{server.stdout.readline().strip()}/file"
    opener = urllib.request.build_opener(urllib.request.CacheFTPHandler)

    def fetch():
        with opener.open(url, timeout=1) as file:
            assert file.read() == b"text"

    def fetch_later():
        hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 100_000)
        fetch()

    fetch()
    threads = [threading.Thread(target=fetch), threading.Thread(target=fetch_later)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
finally:
    server.kill()
    server.wait()
