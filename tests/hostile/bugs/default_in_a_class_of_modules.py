"""A module of a class of its own has an attribute by a base of that class, in which a thread replaces it."""

import threading
import types


class Base:
    level = 0


class Settings(Base, types.ModuleType):
    pass


settings = Settings("settings")


def look():
    assert settings.level == settings.level


def change():
    Base.level = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
