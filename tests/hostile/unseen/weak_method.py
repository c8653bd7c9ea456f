"""A weak method is asked for twice: its object may have ended in between."""

import threading
import weakref


class Button:
    def press(self):
        return 1


kept = [Button()]
pressed = weakref.WeakMethod(kept[0].press)


def forget():
    kept.clear()


def press():
    if pressed() is not None:
        assert pressed()() == 1


threads = [threading.Thread(target=each) for each in (forget, press)]
for each in threads:
    each.start()
for each in threads:
    each.join()
