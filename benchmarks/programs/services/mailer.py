"""An outbox of mails with a retry queue: senders claim mails that are due, a transport delivers them or refuses.

Seeded (double processing): a sender looks for the next mail that is due in one critical section, and marks it as
claimed in another, so two senders may deliver one mail. Repaired: in one.
"""

import logging
import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv

log = logging.getLogger("mailer")


class Refused(Exception):
    """The transport didn't take a mail; it may do so later."""


@dataclass
class Mail:
    address: str
    subject: str
    state: str = "due"
    attempts: int = 0
    errors: list[str] = field(default_factory=list)


class Transport:
    """Delivers mails. The first attempt to reach an address that ``is_slow`` is refused."""

    def __init__(self, slow: set[str]) -> None:
        self.lock = threading.Lock()
        self.slow = set(slow)
        self.delivered: list[tuple[str, str]] = []

    def deliver(self, mail: Mail) -> None:
        with self.lock:
            if mail.address in self.slow:
                self.slow.remove(mail.address)
                raise Refused(f"{mail.address} is greylisted")
            self.delivered.append((mail.address, mail.subject))


class Outbox:
    """Mails in the order in which they were posted; those that failed stay until they have failed too often."""

    def __init__(self, most_attempts: int) -> None:
        self.lock = threading.Lock()
        self.mails: list[Mail] = []
        self.most_attempts = most_attempts

    def post(self, mail: Mail) -> None:
        with self.lock:
            self.mails.append(mail)

    def next_due(self) -> Mail | None:
        return next((mail for mail in self.mails if mail.state == "due"), None)

    def claim(self) -> Mail | None:
        with self.lock:
            mail = self.next_due()
            if REPAIRED and mail is not None:
                mail.state = "claimed"
        if not REPAIRED and mail is not None:
            with self.lock:
                mail.state = "claimed"
        return mail

    def done(self, mail: Mail) -> None:
        with self.lock:
            mail.state = "sent"

    def failed(self, mail: Mail, error: Refused) -> None:
        with self.lock:
            mail.attempts += 1
            mail.errors.append(str(error))
            mail.state = "due" if mail.attempts < self.most_attempts else "dead"


class Sender(threading.Thread):
    """Delivers what is due, until nothing is."""

    def __init__(self, number: int, outbox: Outbox, transport: Transport) -> None:
        super().__init__(name=f"sender {number}")
        self.outbox = outbox
        self.transport = transport

    def run(self) -> None:
        while (mail := self.outbox.claim()) is not None:
            try:
                self.transport.deliver(mail)
            except Refused as error:
                log.info("%s: %s", self.name, error)
                self.outbox.failed(mail, error)
            else:
                self.outbox.done(mail)


def main() -> None:
    outbox, transport = Outbox(most_attempts=2), Transport(slow={"ben@example.org"})
    outbox.post(Mail("ann@example.org", "Welcome"))
    outbox.post(Mail("ben@example.org", "Your invoice"))
    senders = [Sender(number, outbox, transport) for number in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert sorted(transport.delivered) == [
        ("ann@example.org", "Welcome"),
        ("ben@example.org", "Your invoice"),
    ], transport.delivered
    assert [mail.state for mail in outbox.mails] == ["sent", "sent"]
    assert [mail.attempts for mail in outbox.mails] == [0, 1]


if __name__ == "__main__":
    main()
