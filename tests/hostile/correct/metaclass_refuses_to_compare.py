"""A metaclass refuses to compare its classes, whose objects threads use under a lock."""

import threading


class Meta(type):
    def __eq__(self, other):
        raise SystemError("compared")

    __hash__ = type.__hash__


class Box(metaclass=Meta):
    def __init__(self):
        self.args = (0,)


boxes = [Box()]
lock = threading.Lock()


def work():
    with lock:
        b = Box()
        b.args = (b.args[0] + 1,)
        boxes[0].args = (boxes[0].args[0] + 1,)
        assert str(b) and f"{b}" and b.args == (1,)


ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert boxes[0].args == (2,)
