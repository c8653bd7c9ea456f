"""Code in C issues a warning again, which the registry of its module suppresses, unless the filters were changed."""

import threading
import warnings

warnings.simplefilter("default")


def issue():
    return bool(NotImplemented)


def change():
    warnings.simplefilter("error")


issue()
threads = [threading.Thread(target=each) for each in (issue, change)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
