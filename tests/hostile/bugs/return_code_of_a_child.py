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


p = subprocess.Popen(["true"])
seen = []


def a():
    p.wait()


def b():
    seen.append(p.returncode)


par(a, b)
assert seen == [0]
