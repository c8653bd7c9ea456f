"""Bug: two threads change a parameter of the function, run by a thread itself, in which they are defined."""

import threading


def serve(count):
    def increment():
        nonlocal count
        seen = count
        count = seen + 1

    threads = [threading.Thread(target=increment) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert count == 2, count


server = threading.Thread(target=serve, args=(0,))
server.start()
server.join()
