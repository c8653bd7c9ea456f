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
    path = os.path.join(folder, "data")

    def a():
        p = subprocess.Popen(["sh", "-c", f"echo hi > {path}"])
        there = os.path.exists(path)
        p.wait()
        assert not there

    par(a, lambda: None)
