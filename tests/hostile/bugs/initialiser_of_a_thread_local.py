"""The initialiser of a `threading.local` runs at a thread's first access, which reads the class again after it."""

import threading


class Defaults:
    level = 0


class Settings(threading.local, Defaults):
    def __init__(self):
        self.first = self.level


settings = Settings()


def look():
    level = settings.level
    assert level == settings.first


def change():
    Defaults.level = 3


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
