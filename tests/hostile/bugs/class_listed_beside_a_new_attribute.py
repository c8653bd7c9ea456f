"""The attributes of a class are listed twice, while a thread stores one that was not there before."""

import threading


class Settings:
    pass


def look():
    assert sorted(vars(Settings)) == sorted(vars(Settings))


def change():
    Settings.level = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
