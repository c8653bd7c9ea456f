"""A semaphore that limits connections to one isn't released if the connection fails."""

import threading

connections = threading.Semaphore(1)


def connect(fails):
    connections.acquire()
    if fails:
        return
    connections.release()


def main():
    clients = [threading.Thread(target=connect, args=(fails,)) for fails in (True, False)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


main()
