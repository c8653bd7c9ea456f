"""Two run a generator at once."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = (each for each in [0, 1, 2])
run(lambda: next(numbers), lambda: next(numbers))
