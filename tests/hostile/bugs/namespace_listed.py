"""The attributes of a SimpleNamespace are listed while another thread adds one."""

import threading
import types

space = types.SimpleNamespace(a=1)


def add():
    space.b = 2


def look():
    assert sorted(space.__dict__) == ["a"]


threads = [threading.Thread(target=each) for each in (add, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
