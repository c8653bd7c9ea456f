"""Of two threads that emit, one gets the listener that listens once."""

# package: pyee
# include: pyee
# expect: correct

from pyee.base import EventEmitter
from together import run


def test():
    emitter = EventEmitter()
    seen = []
    emitter.on("ready", seen.append)
    run(lambda: emitter.emit("ready", 1), lambda: emitter.emit("ready", 2))
    assert sorted(seen) == [1, 2]
