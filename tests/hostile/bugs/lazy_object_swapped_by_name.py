"""As lazy_object_swapped.py, by object.__setattr__()."""

import threading


class Settings:
    def __init__(self):
        self.debug = True


class Unloaded:
    def __init__(self):
        self.path = "settings.ini"

    def load(self):
        loaded = Settings()
        assert self.path.endswith(".ini")
        object.__setattr__(self, "__dict__", loaded.__dict__)
        object.__setattr__(self, "__class__", Settings)

    def __getattr__(self, name):
        if name == "path":
            raise AttributeError(name)
        self.load()
        return self.__dict__[name]


settings = Unloaded()


def use():
    assert settings.debug


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
