"""Correct: threads read a parameter of the function, run by a thread itself, in which they are defined."""

import threading


def serve(count):
    threads = [threading.Thread(target=lambda: print(count)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    count = count + 1
    assert count == 1


server = threading.Thread(target=serve, args=(0,))
server.start()
server.join()
