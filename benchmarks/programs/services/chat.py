"""A chat server: members join rooms over connections, post messages and leave; a moderator removes members.

Each connection has an outgoing queue of lines, and refuses lines once it is closed. Rooms keep a history, from which a
new member gets the last lines. The server counts what was sent, and what was not because a member had gone.

Seeded (use after close): a room sends to a list of its members that it made earlier, and a connection that was closed
since then raises. Repaired: the room asks the connection to send if it is open, which is decided under the connection's
lock.
"""

import logging
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv

log = logging.getLogger("chat")


class Closed(Exception):
    """The connection was closed."""


class Connection:
    """Lines on their way to one member."""

    def __init__(self, member: str) -> None:
        self.member = member
        self.lock = threading.Lock()
        self.outgoing: deque[str] = deque()
        self.closed = False

    def send(self, line: str) -> None:
        with self.lock:
            if self.closed:
                raise Closed(self.member)
            self.outgoing.append(line)

    def send_if_open(self, line: str) -> bool:
        with self.lock:
            if not self.closed:
                self.outgoing.append(line)
            return not self.closed

    def close(self) -> None:
        with self.lock:
            self.closed = True

    def drain(self) -> list[str]:
        """All lines that wait."""
        with self.lock:
            lines = list(self.outgoing)
            self.outgoing.clear()
        return lines


class Statistics:
    """Counts what happens, by its name."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()

    def count(self, name: str, number: int = 1) -> None:
        with self.lock:
            self.counts[name] += number

    def of(self, name: str) -> int:
        with self.lock:
            return self.counts[name]


@dataclass(frozen=True)
class Message:
    sender: str
    text: str

    def line(self) -> str:
        return f"<{self.sender}> {self.text}"


@dataclass
class Room:
    """Members, and the last messages."""

    name: str
    statistics: Statistics
    kept: int = 2
    lock: threading.Lock = field(default_factory=threading.Lock)
    members: dict[str, Connection] = field(default_factory=dict)
    history: list[Message] = field(default_factory=list)

    def join(self, connection: Connection) -> None:
        with self.lock:
            self.members[connection.member] = connection
            earlier = self.history[-self.kept :]
        for message in earlier:
            self.hand(connection, message)
        log.info("%s joined %s", connection.member, self.name)

    def leave(self, member: str) -> Connection | None:
        with self.lock:
            return self.members.pop(member, None)

    def others(self, sender: str) -> list[Connection]:
        with self.lock:
            return [connection for member, connection in self.members.items() if member != sender]

    def post(self, message: Message) -> None:
        with self.lock:
            self.history.append(message)
            del self.history[: -self.kept]
        for connection in self.others(message.sender):
            self.hand(connection, message)

    def hand(self, connection: Connection, message: Message) -> None:
        if REPAIRED:
            sent = connection.send_if_open(message.line())
        else:
            connection.send(message.line())
            sent = True
        self.statistics.count("sent" if sent else "gone")


class Server:
    """Rooms by name."""

    def __init__(self, rooms: Iterable[str]) -> None:
        self.statistics = Statistics()
        self.rooms = {name: Room(name, self.statistics) for name in rooms}

    def enter(self, room: str, member: str) -> Connection:
        connection = Connection(member)
        self.rooms[room].join(connection)
        return connection

    def say(self, room: str, member: str, text: str) -> None:
        self.rooms[room].post(Message(member, text))

    def remove(self, room: str, member: str) -> bool:
        connection = self.rooms[room].leave(member)
        if connection is None:
            return False
        connection.close()
        return True


def talker(server: Server, member: str, texts: list[str]) -> None:
    for text in texts:
        server.say("lobby", member, text)


def moderator(server: Server, removed: list[str], unwanted: str) -> None:
    if server.remove("lobby", unwanted):
        removed.append(unwanted)


def main() -> None:
    server = Server(["lobby", "games"])
    connections = {member: server.enter("lobby", member) for member in ("ann", "ben", "troll")}
    removed: list[str] = []
    threads = [
        threading.Thread(target=talker, args=(server, "ann", ["hello"]), name="ann"),
        threading.Thread(target=talker, args=(server, "ben", ["hi"]), name="ben"),
        threading.Thread(target=moderator, args=(server, removed, "troll"), name="moderator"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert removed == ["troll"]
    assert connections["ann"].drain() == ["<ben> hi"]
    assert connections["ben"].drain() == ["<ann> hello"]
    read_by_troll = connections["troll"].drain()
    assert set(read_by_troll) <= {"<ben> hi", "<ann> hello"}
    assert server.statistics.of("sent") == 2 + len(read_by_troll)


if __name__ == "__main__":
    main()
