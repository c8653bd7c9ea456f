"""A warning is shown again if the registry of its module is cleared in between."""

import threading
import warnings

shown = []
warnings.simplefilter("default")
warnings.showwarning = lambda *given, **named: shown.append(1)


def warn():
    warnings.warn("old", stacklevel=1)


def clear():
    globals().get("__warningregistry__", {}).clear()
    warn()


threads = [threading.Thread(target=each) for each in (warn, clear)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert len(shown) == 2
