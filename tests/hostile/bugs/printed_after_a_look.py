"""A thread of a pool looks where it is in a stream in memory, and prints there after another one has written."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

out = io.StringIO("abcdef")


def look_and_print():
    at = out.tell()
    print("p", end="", file=out)
    return at


def write():
    out.write("x")


with ThreadPoolExecutor(2) as pool:
    futures = [pool.submit(look_and_print), pool.submit(write)]
assert (futures[0].result(), out.getvalue()) != (0, "xpcdef")
