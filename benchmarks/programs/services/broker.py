"""A message broker: producers publish to topics, consumers take messages and confirm them, or get them again.

A topic has room for some messages; who publishes to a full one waits. A message that was taken has a receipt, and is
due again after some deliveries of others, in case its consumer died. A message that was delivered too often goes to the
dead letters.

Seeded (wrong waiter woken): consumers and producers wait on one condition, and a message that is taken wakes one of
them: that may be a consumer, who finds nothing and waits again, while the producer is never woken. Repaired: it wakes
all.
"""

import itertools
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Message:
    number: int
    body: str
    deliveries: int = 0


@dataclass(frozen=True)
class Delivery:
    """A message on loan."""

    message: Message
    receipt: int


@dataclass
class Loan:
    """A message that was taken, by which receipt, and from when on it is given to another consumer."""

    message: Message
    receipt: int
    due: int


class Topic:
    """Messages that wait, and those that are on loan."""

    def __init__(self, name: str, room: int, patience: int, most_deliveries: int) -> None:
        self.name = name
        self.room = room
        self.patience = patience
        self.most_deliveries = most_deliveries
        self.condition = threading.Condition()
        self.waiting: deque[Message] = deque()
        self.loans: dict[int, Loan] = {}
        self.dead: list[Message] = []
        self.receipts = itertools.count(1)
        self.deliveries = 0
        self.closed = False

    def publish(self, message: Message) -> None:
        with self.condition:
            while len(self.waiting) >= self.room:
                self.condition.wait()
            self.waiting.append(message)
            self.wake()

    def wake(self) -> None:
        if REPAIRED:
            self.condition.notify_all()
        else:
            self.condition.notify()

    def close(self) -> None:
        with self.condition:
            self.closed = True
            self.condition.notify_all()

    def take(self) -> Delivery | None:
        """The next message; none if all are done and no more will come."""
        with self.condition:
            while True:
                self.recall()
                if self.waiting:
                    return self.lend(self.waiting.popleft())
                if self.closed and not self.loans:
                    return None
                self.condition.wait()

    def lend(self, message: Message) -> Delivery:
        message.deliveries += 1
        self.deliveries += 1
        self.wake()
        receipt = next(self.receipts)
        self.loans[message.number] = Loan(message, receipt, self.deliveries + self.patience)
        return Delivery(message, receipt)

    def recall(self) -> None:
        """Messages that are on loan for too long wait again."""
        for loan in [loan for loan in self.loans.values() if loan.due <= self.deliveries]:
            self.end(loan)
            self.again(loan.message)

    def again(self, message: Message) -> None:
        if message.deliveries >= self.most_deliveries:
            self.dead.append(message)
        else:
            self.waiting.append(message)
            self.wake()

    def end(self, loan: Loan) -> None:
        del self.loans[loan.message.number]
        if self.closed and not self.loans:
            self.condition.notify_all()

    def loan_of(self, delivery: Delivery) -> Loan | None:
        loan = self.loans.get(delivery.message.number)
        return loan if loan is not None and loan.receipt == delivery.receipt else None

    def confirm(self, delivery: Delivery) -> bool:
        with self.condition:
            loan = self.loan_of(delivery)
            if loan is not None:
                self.end(loan)
            return loan is not None

    def reject(self, delivery: Delivery) -> bool:
        """The message is given again."""
        with self.condition:
            loan = self.loan_of(delivery)
            if loan is not None:
                self.again(loan.message)
                self.end(loan)
            return loan is not None


class Broker:
    """Topics by name."""

    def __init__(self, room: int, patience: int, most_deliveries: int) -> None:
        self.lock = threading.Lock()
        self.topics: dict[str, Topic] = {}
        self.numbers = itertools.count(1)
        self.room = room
        self.patience = patience
        self.most_deliveries = most_deliveries

    def topic(self, name: str) -> Topic:
        with self.lock:
            if name not in self.topics:
                self.topics[name] = Topic(name, self.room, self.patience, self.most_deliveries)
            return self.topics[name]

    def publish(self, name: str, body: str) -> int:
        topic = self.topic(name)
        with self.lock:
            number = next(self.numbers)
        topic.publish(Message(number, body))
        return number


@dataclass
class Thumbnails:
    """Results by message. The first attempt at a large picture is refused, for want of memory."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: dict[int, str] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)

    def make(self, message: Message) -> bool:
        with self.lock:
            if message.body.startswith("large") and message.number not in self.refused:
                self.refused.add(message.number)
                return False
            self.made[message.number] = f"small {message.body}"
            return True


def consumer(topic: Topic, work: Callable[[Message], bool], confirmed: list[int]) -> None:
    while (delivery := topic.take()) is not None:
        if not work(delivery.message):
            topic.reject(delivery)
        elif topic.confirm(delivery):
            confirmed.append(delivery.message.number)


def producer(broker: Broker, bodies: list[str]) -> None:
    for body in bodies:
        broker.publish("pictures", body)


def main() -> None:
    broker, thumbnails = Broker(room=1, patience=2, most_deliveries=9), Thumbnails()
    topic = broker.topic("pictures")
    confirmed: list[list[int]] = [[], []]
    consumers = [
        threading.Thread(target=consumer, args=(topic, thumbnails.make, own), name=f"consumer {place}")
        for place, own in enumerate(confirmed)
    ]
    producers = [
        threading.Thread(target=producer, args=(broker, ["cat.png"]), name="first producer"),
        threading.Thread(target=producer, args=(broker, ["large dog.png"]), name="second producer"),
    ]
    for thread in (*consumers, *producers):
        thread.start()
    for thread in producers:
        thread.join()
    topic.close()
    for thread in consumers:
        thread.join()
    assert not topic.dead
    assert sorted(thumbnails.made.values()) == ["small cat.png", "small large dog.png"], thumbnails.made
    assert sorted([*confirmed[0], *confirmed[1]]) == [1, 2], confirmed


if __name__ == "__main__":
    main()
