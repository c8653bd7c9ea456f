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
    path = os.path.join(folder, "log")
    par(
        lambda: subprocess.run(["sh", "-c", f"echo a >> {path}"], check=True),
        lambda: subprocess.run(["sh", "-c", f"echo b >> {path}"], check=True),
    )
    with open(path) as file:
        assert file.read() == "a\nb\n"
