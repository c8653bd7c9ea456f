"""The server of the live page of a check: answers the requests of a browser.

It listens on 127.0.0.1 only, and answers GET and HEAD requests whose address begins with the token: the page itself,
and the events of the check from a number on. A request for events that waits for news is answered when there are some,
or after :data:`_PATIENCE` seconds. All other requests are refused, by one fixed line: those without the token, with
another ``Host`` (a name that resolves to this address is one: DNS rebinding), from pages of other origins, with a body,
or that are no HTTP at all. Requests are parsed strictly, rather than as browsers and servers do that are lenient
towards old ones.

At the end of the check it goes on for as long as an open page needs to get the rest, at most :data:`_LINGERING`
seconds. If none has been opened, one may be for some more seconds: a check may be over sooner than its reader can be
there.

Cost: a thread for each of at most :data:`_CONNECTIONS` connections, each for one request. Events stay in memory.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import re
import secrets
import socket
import threading
from collections.abc import Sequence
from dataclasses import field
from time import monotonic
from typing import Final

from mazurka.lazy_dataclass import dataclass

#: The only address that is listened on.
ADDRESS: Final = "127.0.0.1"

#: Seconds after which a request for events is answered without any.
_PATIENCE: Final = 20.0

#: Seconds that a client may take to send its request, and to read each part of the answer.
_READING: Final = 5.0
_WRITING: Final = 10.0

#: Seconds for which the end is offered to an open page, and seconds without a request after which a page is not open.
_LINGERING: Final = 3.0
_OPEN: Final = _PATIENCE + 5.0

#: Seconds for which further events are waited for after the first one.
_APART: Final = 0.25

#: The most connections at a time, bytes of a request, and bytes of events in one answer.
_CONNECTIONS: Final = 32
_LONGEST: Final = 16_384
_MOST: Final = 1 << 22

_REQUEST: Final = re.compile(r"(GET|HEAD) (/[!-~]*) HTTP/1\.[01]")
_HEADER: Final = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~]*?)[ \t]*")
_EVENTS: Final = re.compile(r"events\?after=([0-9]{1,9})")

#: Requests that pages of other origins make have one of these headers with another value.
_FETCHES: Final = ("same-origin", "none")

_HEADERS: Final = (
    "Cache-Control: no-store",
    "Connection: close",
    "Cross-Origin-Opener-Policy: same-origin",
    "Cross-Origin-Resource-Policy: same-origin",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
)

#: For all answers that are not the page, which states its own policy beside this one.
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
_FRAMELESS: Final = "frame-ancestors 'none'"

_REASONS: Final = {200: "OK", 400: "Bad PageRequest", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed"}


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request that may be answered: its path after the token, and whether the answer has a body."""

    path: str
    has_body: bool


def admitted(raw: bytes, port: int, token: str) -> PageRequest | int:
    """The request of these bytes, up to the empty line; the status of the refusal if it is not to be answered."""
    try:
        head, *lines = raw.decode("ascii").split("\r\n")
    except UnicodeDecodeError:
        return 400
    found = _REQUEST.fullmatch(head)
    if found is None:
        return 405 if re.fullmatch(r"[A-Z]{1,20} /[!-~]* HTTP/1\.[01]", head) else 400
    headers: dict[str, list[str]] = {}
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None:
            return 400
        headers.setdefault(header[1].lower(), []).append(header[2])
    if not _is_from_here(headers, port):
        return 403
    if "transfer-encoding" in headers or headers.get("content-length", ["0"]) != ["0"]:
        return 400
    given, slash, path = found[2][1:].partition("/")
    if not hmac.compare_digest(given.encode(), token.encode()) or not slash:
        return 403
    return PageRequest(path, found[1] == "GET")


def _is_from_here(headers: dict[str, list[str]], port: int) -> bool:
    """Whether the request is for this address by number, and no page of another origin has made it."""
    own = f"{ADDRESS}:{port}"
    if headers.get("host") != [own] or headers.get("origin", [f"http://{own}"]) != [f"http://{own}"]:
        return False
    return len(site := headers.get("sec-fetch-site", ["none"])) == 1 and site[0] in _FETCHES


@dataclass(slots=True)
class Events:
    """The events of the check, as lines of JSON, and whether there will be more."""

    lines: list[bytes] = field(default_factory=list)
    ended: bool = False
    delivered: bool = False  # whether a page has the last event, and knows that it is
    asked: float | None = None  # when a page last asked
    changed: threading.Condition = field(default_factory=threading.Condition)

    def add(self, line: bytes) -> None:
        """A further event."""
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def opened(self) -> None:
        """A page is there."""
        with self.changed:
            self.asked = monotonic()
            self.changed.notify_all()

    def end(self, unopened: float = 0.0) -> None:
        """There are no more; returns when an open page has got them, or does not ask for them. If none has been opened,
        one may be for some seconds more."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()
            if not self.changed.wait_for(lambda: self.asked is not None, unopened):
                return
            if self.asked is not None and monotonic() - self.asked < _OPEN:
                self.changed.wait_for(lambda: self.delivered, _LINGERING)

    def after(self, number: int, patience: float) -> bytes:
        """The events from that number on, in JSON; waits for some."""
        self.opened()
        with self.changed:
            if self.changed.wait_for(lambda: len(self.lines) > number or self.ended, patience):
                self.changed.wait_for(lambda: self.ended, min(_APART, patience))  # several events in one answer
            self.asked = monotonic()
            end, size = number, 0
            while end < len(self.lines) and size < _MOST:
                size += len(self.lines[end])
                end += 1
            over = self.ended and end >= len(self.lines)
            events = b",".join(self.lines[number:end])
        rest = json.dumps({"next": max(end, number), "over": over})[1:]
        return b'{"events":[' + events + b"]," + rest.encode()

    def deliver(self) -> None:
        """A page has got all of them."""
        with self.changed:
            self.delivered = True
            self.changed.notify_all()


class Server:
    """Answers requests on a listening socket, each in a thread."""

    def __init__(self, listening: socket.socket, token: str, page: bytes, patience: float = _PATIENCE) -> None:
        self.events = Events()
        self._listening = listening
        self._port: int = listening.getsockname()[1]
        self._token = token
        self._page = page
        self._patience = patience
        self._free = threading.BoundedSemaphore(_CONNECTIONS)

    def serve(self) -> None:
        """Accept connections, until the socket is closed."""
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            if not self._free.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError):
                raw = _read(connection)
                if raw is not None:
                    connection.settimeout(_WRITING)
                    self._answer(connection, raw)
                    _finish(connection)
        finally:
            self._free.release()

    def _answer(self, connection: socket.socket, raw: bytes) -> None:
        request = admitted(raw, self._port, self._token)
        if isinstance(request, int):
            return connection.sendall(response(request))
        if not request.path:
            self.events.opened()
            return connection.sendall(response(200, "text/html; charset=utf-8", self._page, request.has_body))
        found = _EVENTS.fullmatch(request.path)
        if found is None:
            return connection.sendall(response(404))
        body = self.events.after(int(found[1]), self._patience if request.has_body else 0.0)
        connection.sendall(response(200, "application/json", body, request.has_body))
        if request.has_body and b'"over": true' in body[-32:]:
            self.events.deliver()
        return None


def response(status: int, kind: str = "text/plain", body: bytes | None = None, has_body: bool = True) -> bytes:
    """An answer; a refusal has a body that depends on its status only."""
    content = f"{status} {_REASONS[status]}\n".encode() if body is None else body
    policy = _FRAMELESS if kind.startswith("text/html") else _NOTHING
    lines: Sequence[str] = (
        f"HTTP/1.1 {status} {_REASONS[status]}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(content)}",
        f"Content-Security-Policy: {policy}",
        *(["Allow: GET, HEAD"] if status == 405 else []),
        *_HEADERS,
    )
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return head + content if has_body else head


def _read(connection: socket.socket) -> bytes | None:
    """The request up to its empty line; None if that does not come in time, or is too far away."""
    end, data = monotonic() + _READING, b""
    while b"\r\n\r\n" not in data:
        left = end - monotonic()
        if left <= 0 or len(data) > _LONGEST:
            return None
        connection.settimeout(left)
        part = connection.recv(4096)
        if not part:
            return None
        data += part
    return data.partition(b"\r\n\r\n")[0]


def _finish(connection: socket.socket) -> None:
    """Close the connection so that the answer arrives: unread bytes of the client would reset it."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(0.5)
    for _ in range(16):
        if not connection.recv(4096):
            return


def new_token() -> str:
    """A token that can't be guessed: 192 bits."""
    return secrets.token_urlsafe(24)


def listening(port: int) -> socket.socket:
    """A socket that listens on that port of this machine; 0: on any port."""
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(port != 0))
    own.bind((ADDRESS, port))
    own.listen(_CONNECTIONS)
    return own
