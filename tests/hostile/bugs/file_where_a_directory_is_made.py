"""A file is opened under a name that a directory gets: the outcome of each depends on which thread comes first."""

import concurrent.futures
import os
import shutil
import tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, "f")
seen = []


def make():
    seen.append(os.path.exists(path))
    try:
        os.mkdir(path)
    except FileExistsError:
        seen.append("late")


def write():
    try:
        open(path, "w").close()
    except IsADirectoryError:
        pass


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    futures = [pool.submit(make), pool.submit(write)]
for each in futures:
    each.result()
shutil.rmtree(folder)
assert seen != [False, "late"], seen
