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


out = []


def f():
    with subprocess.Popen(["printf", "a\\nb\\n"], stdout=subprocess.PIPE, text=True) as p:
        out.append([line.strip() for line in p.stdout])


par(f, f)
assert out == [["a", "b"]] * 2
