"""A thread that fails leaves a file open in a global of the library; the next execution begins anew."""

import fileinput
import gzip
import os
import tempfile
import threading

file = os.path.join(tempfile.mkdtemp(), "file")
with open(file, "w") as out:
    out.write("one")
failed = []


def read():
    try:
        list(fileinput.input([file]))
    except UnicodeDecodeError as error:
        failed.append(error)


threads = [threading.Thread(target=read), threading.Thread(target=lambda: gzip.open(file, "wb").close())]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not failed
