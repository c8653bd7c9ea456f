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


os.environ["WHO"] = "x"
out = []


def a():
    out.append(subprocess.check_output(["sh", "-c", "echo $WHO"]))


def b():
    os.environ["WHO"] = "y"


par(a, b)
assert out == [b"x\n"]
