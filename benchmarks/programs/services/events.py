"""An event bus: publishers post events, a dispatcher hands them to subscribers, who come and go.

Seeded (change during iteration): the dispatcher iterates over the subscribers themselves, while others subscribe and
unsubscribe: the iteration ends with RuntimeError. Repaired: over a copy made under the lock.
"""

import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

REPAIRED = "repaired" in sys.argv

Handler = Callable[["Event"], None]


@dataclass(frozen=True)
class Event:
    topic: str
    number: int


class Bus:
    """Subscribers by topic and name."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.handlers: dict[str, dict[str, Handler]] = {}
        self.posted: queue.Queue[Event | None] = queue.Queue()
        self.handed = 0

    def subscribe(self, topic: str, name: str, handler: Handler) -> None:
        with self.lock:
            self.handlers.setdefault(topic, {})[name] = handler

    def unsubscribe(self, topic: str, name: str) -> None:
        with self.lock:
            self.handlers.get(topic, {}).pop(name, None)

    def post(self, event: Event) -> None:
        self.posted.put(event)

    def close(self) -> None:
        self.posted.put(None)

    def subscribers(self, topic: str) -> dict[str, Handler]:
        if REPAIRED:
            with self.lock:
                return dict(self.handlers.get(topic, {}))
        return self.handlers.get(topic, {})

    def dispatch(self) -> None:
        while (event := self.posted.get()) is not None:
            for handler in self.subscribers(event.topic).values():
                handler(event)
                self.handed += 1


class Mailbox:
    """Keeps the events that it was handed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.events: list[Event] = []

    def receive(self, event: Event) -> None:
        with self.lock:
            self.events.append(event)

    def size(self) -> int:
        with self.lock:
            return len(self.events)


def publisher(bus: Bus, topic: str, number: int) -> None:
    for each in range(number):
        bus.post(Event(topic, each))


def visitor(bus: Bus, topic: str, name: str, mailbox: Mailbox) -> None:
    """Subscribes for a while."""
    bus.subscribe(topic, name, mailbox.receive)
    mailbox.size()
    bus.unsubscribe(topic, name)


def main() -> None:
    bus, lasting, passing = Bus(), Mailbox(), Mailbox()
    bus.subscribe("prices", "ledger", lasting.receive)
    dispatcher = threading.Thread(target=bus.dispatch, name="dispatcher")
    threads = [
        threading.Thread(target=publisher, args=(bus, "prices", 2), name="publisher"),
        threading.Thread(target=visitor, args=(bus, "prices", "visitor", passing), name="visitor"),
    ]
    dispatcher.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bus.close()
    dispatcher.join()
    assert [event.number for event in lasting.events] == [0, 1], lasting.events
    assert bus.handed == lasting.size() + passing.size()


if __name__ == "__main__":
    main()
