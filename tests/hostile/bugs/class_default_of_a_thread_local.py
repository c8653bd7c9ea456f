"""A class attribute that shows through `threading.local` objects is replaced while a thread looks at it twice."""

import threading


class Settings(threading.local):
    level = 0


settings = Settings()
settings.level = 1  # the main thread's own


def look():
    assert settings.level == settings.level


def change():
    Settings.level = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
