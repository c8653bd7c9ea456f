"""NH-lastzero: one thread looks for the last zero of an array while the others write to it."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def program(n=3):
    a = [0] * (n + 1)

    def search():
        k = n
        while a[k] != 0:
            k -= 1

    def write(j):
        a[j] = a[j - 1] + 1

    run(search, *[lambda j=j: write(j) for j in range(1, n + 1)])


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
