"""A class of errors gets an attribute while a thread asks an instance for it twice, with a default."""

import threading


class Refused(OSError):
    pass


error = Refused()


def look():
    assert getattr(error, "code", 0) == getattr(error, "code", 0)


def change():
    Refused.code = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
