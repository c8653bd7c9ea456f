"""A listener that is added after the event has been announced is never called."""

import threading


class Signal:
    def __init__(self):
        self.listeners = []
        self.fired = False

    def add(self, listener):
        if self.fired:
            listener()
        else:
            self.listeners.append(listener)

    def fire(self):
        self.fired = True
        for each in self.listeners:
            each()


signal, called = Signal(), []
threads = [threading.Thread(target=signal.add, args=(lambda: called.append(1),)), threading.Thread(target=signal.fire)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert called == [1], called
