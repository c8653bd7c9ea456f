"""JM-BubbleSort: one bubbling pass per thread, all under one lock. No bug."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def program(*values):
    a = list(values)
    lock = threading.Lock()

    def bubble():
        with lock:
            for i in range(len(a) - 1):
                if a[i] > a[i + 1]:
                    t = a[i]
                    a[i] = a[i + 1]
                    a[i + 1] = t

    run(*[bubble] * len(a))
    return tuple(a)


if __name__ == "__main__":
    values = [int(text) for text in sys.argv[1:]]
    assert list(program(*values)) == sorted(values)
