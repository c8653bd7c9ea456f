import functools
import json
import logging
import os
from pathlib import Path
from threading import RLock

log = logging.getLogger("depot")

_lock = RLock()
_loaded = {}


def load(path):
    """The settings in a file, which is read once."""
    path = Path(path)
    with _lock:
        if path not in _loaded:
            log.info("reading %s", path.name)
            _loaded[path] = json.loads(path.read_text())
        return _loaded[path]


def forget():
    with _lock:
        _loaded.clear()
    price.cache_clear()


def region():
    return os.environ.get("DEPOT_REGION", "north")


@functools.lru_cache(maxsize=None)
def price(name):
    return 10 * len(name)


def report(goods):
    for name in sorted(goods):
        print(f"{name}: {goods[name]}")


def save(goods, path):
    Path(path).write_text(json.dumps(goods, sort_keys=True))
