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


args = ["echo", "1"]
out = []


def a():
    out.append(subprocess.check_output(args))


def b():
    args[1] = "2"


par(a, b)
assert out == [b"1\n"]
