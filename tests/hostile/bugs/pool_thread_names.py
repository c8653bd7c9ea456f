"""Pool thread names."""

import threading
from concurrent.futures import ThreadPoolExecutor


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = {}


def who(k):
    with ThreadPoolExecutor(1) as p:
        names[k] = p.submit(lambda: threading.current_thread().name).result()


run(lambda: who("a"), lambda: who("b"))
assert names["a"] < names["b"]
