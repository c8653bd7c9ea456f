"""Global bound (once) after the event: NameError."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


ready = threading.Event()


def look():
    ready.wait()
    late


thread = threading.Thread(target=look)
thread.start()
ready.set()
late = 1
thread.join()
