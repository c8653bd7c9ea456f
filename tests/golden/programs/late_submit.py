"""A job is submitted when the pool has been shut down. After reports about libraries that end with the program."""

import threading
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(1)
is_open = True


def log(text):
    if is_open:
        pool.submit(len, text)


def close():
    global is_open
    is_open = False
    pool.shutdown()


threads = [threading.Thread(target=log, args=("text",)), threading.Thread(target=close)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
