"""A hash depends on the order of its updates."""

import hashlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


digest = hashlib.sha256()
run(lambda: digest.update(b"a"), lambda: digest.update(b"b"))
assert digest.digest() == hashlib.sha256(b"ab").digest()
