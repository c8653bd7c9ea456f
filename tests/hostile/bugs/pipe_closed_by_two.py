"""Two threads close the same end of a pipe that does not block, and a third one uses both ends."""

import os
import threading

ends = os.pipe()
os.set_blocking(ends[0], False)


def final():
    return [os.close(ends[0])]


def work_0():
    seen = []
    try:
        seen.append(os.write(ends[1], b"bc"))
        seen.append(os.close(ends[1]))
        seen.append(os.close(ends[1]))
    except Exception as error:
        seen.append(type(error).__name__)
    return seen


def work_1():
    seen = []
    try:
        seen.append(os.read(ends[0], 9))
        seen.append(os.write(ends[1], b"a"))
    except Exception as error:
        seen.append(type(error).__name__)
    return seen


def work_2():
    seen = []
    try:
        seen.append(os.close(ends[1]))
        seen.append(os.get_blocking(ends[0]))
        seen.append(os.write(ends[1], b"bc"))
    except Exception as error:
        seen.append(type(error).__name__)
    return seen


guard = threading.Lock()
results = [None] * 3


def body_0():
    results[0] = work_0()


def body_1():
    results[1] = work_1()


def body_2():
    results[2] = work_2()


threads = [threading.Timer(0, body_0, ()), threading.Timer(0, body_1, ()), threading.Timer(0, body_2, ())]
for each in threads:
    each.start()
for each in threads:
    each.join()
try:
    end = final()
except Exception as error:
    end = type(error).__name__
outcome = repr((results, end))
assert outcome in (
    "([['OSError'], ['BlockingIOError'], [None, False, 'OSError']], [None])",
    "([['OSError'], [b'', 'OSError'], [None, False, 'OSError']], [None])",
    "([[2, None, 'OSError'], ['BlockingIOError'], ['OSError']], [None])",
    "([[2, None, 'OSError'], [b'bc', 'OSError'], ['OSError']], [None])",
), outcome
