"""A child process is left, which closes the streams to it."""

import subprocess
import threading

child = subprocess.Popen(["true"], stdout=subprocess.PIPE)
seen = []


def first():
    with child:
        pass


def second():
    seen.append(child.stdout.closed)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
child.stdout.close()
assert seen == [True]
