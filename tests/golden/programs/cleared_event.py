"""A flag is cleared after it may have been set for the next round."""

import threading

ready = threading.Event()
rounds = []


def serve():
    for _ in range(2):
        ready.wait()
        rounds.append(1)
        ready.clear()


server = threading.Thread(target=serve)
server.start()
ready.set()
while not rounds:
    pass
ready.set()
server.join()
