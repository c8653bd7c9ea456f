import os
import subprocess
import sys
import tempfile
import threading


def par(*fs):
    ts = [threading.Thread(target=f) for f in fs]
    for t in ts:
        t.start()
    for t in ts:
        t.join()


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "flag")
    got = []

    def a():
        got.append(subprocess.run(["test", "-e", path]).returncode)

    def b():
        open(path, "w").close()

    par(a, b)
    assert got == [1]
