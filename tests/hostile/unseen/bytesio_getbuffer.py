"""The buffer of a BytesIO is held while another thread writes to it."""

import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


s = io.BytesIO(b"abc")


def a():
    v = s.getbuffer()
    v.release()


def b():
    s.write(b"abcdef")


run(a, b)
