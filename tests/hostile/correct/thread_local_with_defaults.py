"""Each thread has attributes of its own, and those of others by `__getattr__`."""

import threading


class Local(threading.local):
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(data, name)


data = []
local = Local()
lock = threading.Lock()


def work(value):
    local.mine = value
    with lock:
        local.append(value)
    local.mine += 1
    assert local.mine == value + 1


threads = [threading.Thread(target=work, args=(each,)) for each in (1, 5)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(data) == [1, 5]
