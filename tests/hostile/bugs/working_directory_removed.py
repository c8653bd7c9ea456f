"""The working directory is removed while another thread asks for it."""

import os
import tempfile
import threading

before = os.getcwd()
folder = tempfile.mkdtemp()
os.chdir(folder)
seen = []


def first():
    try:
        seen.append(os.getcwd() == folder)
    except FileNotFoundError:
        seen.append(False)


def second():
    os.rmdir(folder)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
os.chdir(before)
assert seen == [True]
