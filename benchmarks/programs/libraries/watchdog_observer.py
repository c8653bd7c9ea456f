"""An observer that is not started takes handlers of two threads."""

# package: watchdog
# include: watchdog
# expect: correct

from together import run
from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver, EventEmitter


def test():
    observer = BaseObserver(EventEmitter)
    handlers = [FileSystemEventHandler(), FileSystemEventHandler()]
    watches = []
    run(
        lambda: watches.append(observer.schedule(handlers[0], "/nowhere")),
        lambda: watches.append(observer.schedule(handlers[1], "/nowhere")),
    )
    assert watches[0] == watches[1]
    assert len(observer.emitters) == 1
