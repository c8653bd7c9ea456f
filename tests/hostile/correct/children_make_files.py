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

    def make(name):
        return lambda: subprocess.run(["sh", "-c", f"echo {name} > {folder}/{name}"], check=True)

    par(make("a"), make("b"))
    assert sorted(os.listdir(folder)) == ["a", "b"]
    assert open(os.path.join(folder, "a")).read() == "a\n"
