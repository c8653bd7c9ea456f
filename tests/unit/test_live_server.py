"""The server of the live page: only GET and HEAD with the token, by this address, from no other origin, get content."""

from __future__ import annotations

import io
import json
import pickle
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazurka.cli.live import server as live_server
from mazurka.cli.live.feed import Feed, serve
from mazurka.cli.live.server import ADDRESS, PageRequest, Server, admitted, listening, new_token
from mazurka.explore.outcome import FailingExecution
from mazurka.program.protocol import Failure, FailureKind
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Explanation, Finding
from mazurka.report.search_history import SearchSample

_PAGE = b"<p>the secret page</p>"
_EVENT = b'["note","a secret event"]'
_TOKEN = new_token()


@contextmanager
def _served(patience: float = 0.0) -> Iterator[tuple[Server, int]]:
    with listening(0) as own:
        server = Server(own, _TOKEN, _PAGE, patience)
        server.events.add(_EVENT)
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server, own.getsockname()[1]
        finally:
            own.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with _served() as (_, port):
        yield port


def _exchange(port: int, raw: bytes, *, ends: bool = True) -> bytes:
    """The whole answer to these bytes; ``ends``: nothing more will be sent."""
    with socket.create_connection((ADDRESS, port), 30) as client:
        answer = b""
        with suppress(OSError):  # it may have closed the connection
            client.sendall(raw)
            if ends:
                client.shutdown(socket.SHUT_WR)
            while part := client.recv(1 << 16):
                answer += part
        return answer


def _request(port: int, method: str = "GET", path: str | None = None, *headers: str) -> bytes:
    lines = (f"{method} {path or f'/{_TOKEN}/'} HTTP/1.1", *(headers or (f"Host: {ADDRESS}:{port}",)))
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def test_the_page_and_the_events_are_answered(port: int) -> None:
    head, _, body = _exchange(port, _request(port)).partition(b"\r\n\r\n")
    assert body == _PAGE
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 200 OK"
    for each in ("Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Frame-Options: DENY"):
        assert each in lines
    assert _exchange(port, _request(port, "HEAD")).endswith(b"\r\n\r\n")
    head, _, body = _exchange(port, _request(port, "GET", f"/{_TOKEN}/events?after=0")).partition(b"\r\n\r\n")
    assert json.loads(body) == {"events": [json.loads(_EVENT)], "next": 1, "over": False}
    assert b"Content-Security-Policy: default-src 'none'" in head
    _, _, body = _exchange(port, _request(port, "GET", f"/{_TOKEN}/events?after=7")).partition(b"\r\n\r\n")
    assert json.loads(body) == {"events": [], "next": 7, "over": False}


@dataclass(frozen=True)
class _Drawn:
    """A request, and whether it may be answered with content."""

    raw: bytes
    fine: bool


def _choice(fine: list[str], wrong: list[str]) -> st.SearchStrategy[tuple[str, bool]]:
    """Mostly a fine part, so that many requests have one fault, or none."""
    each = {True: st.sampled_from(fine), False: st.sampled_from(wrong)}
    chosen = st.sampled_from([True] * 7 + [False])
    return chosen.flatmap(lambda is_fine: each[is_fine].map(lambda part: (part, is_fine)))


_NEAR = [_TOKEN[:-1], _TOKEN + "x", _TOKEN.swapcase(), "", "%" + _TOKEN, "a" * 40, "../" + _TOKEN, _TOKEN + "%2f"]


#: The parts of a request: fine ones, the first of which is used where another part is wrong, and wrong ones. ``OWN``
#: stands for the address of the server, ``PORT`` for its port, and ``-`` for no header.
_PARTS = {
    "method": (["GET", "HEAD"], ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "G ET", ""]),
    "token": ([_TOKEN], _NEAR),
    "path": (
        ["", "events?after=0"],
        ["events", "events?after=-1", "events?after=0&x", "../", "//", "etc/passwd", "?", "#"],
    ),
    "version": (["HTTP/1.1", "HTTP/1.0"], ["HTTP/2", "HTTP/0.9", "HTTP/1.1 ", ""]),
    "Host": (
        ["OWN"],
        ["evil.example", "evil.example:PORT", "localhost:PORT", ADDRESS, "OWN.evil.example", "OWN, OWN", "", "-"],
    ),
    "Origin": (["-", "http://OWN"], ["null", "http://evil.example", "https://OWN", "http://localhost:PORT", ""]),
    "Sec-Fetch-Site": (["-", "none", "same-origin"], ["cross-site", "same-site", "", "none, none"]),
    "more": (
        ["-", "Accept: */*", "X-Mazurka: ok", "Content-Length: 0"],
        [
            "Host: OWNx",
            "Host: OWN",
            "Transfer-Encoding: chunked",
            "Content-Length: 5",
            "no colon",
            " folded",
            "\x00: x",
            "X : y",
            "Origin: null",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none",
        ],
    ),
}


def _of_parts(parts: Mapping[str, str], port: int, end: str = "\r\n") -> bytes:
    lines = [f"{parts['method']} /{parts['token']}/{parts['path']} {parts['version']}"]
    lines += [f"{name}: {parts[name]}" for name in ("Host", "Origin", "Sec-Fetch-Site") if parts[name] != "-"]
    lines += [parts["more"]] * (parts["more"] != "-")
    text = end.join(lines) + end + end
    return text.replace("OWN", f"{ADDRESS}:{port}").replace("PORT", str(port)).encode("latin-1")


@st.composite
def _requests(draw: st.DrawFn, port: int) -> _Drawn:
    drawn = {name: draw(_choice(*choices)) for name, choices in _PARTS.items()}
    end = draw(st.sampled_from(["\r\n"] * 20 + ["\n", "\r", "\r\r\n"]))
    raw = _of_parts({name: part for name, (part, _) in drawn.items()}, port, end)
    cut = draw(st.one_of(st.none(), st.none(), st.none(), st.integers(0, len(raw) - 1)))
    fine = all(is_fine for _, is_fine in drawn.values())
    return _Drawn(raw[:cut], fine and end == "\r\n" and cut is None)


@pytest.mark.parametrize("name", _PARTS)
def test_each_fault_alone_is_refused(port: int, name: str) -> None:
    fine = {each: choices[0][0] for each, choices in _PARTS.items()}
    for part in _PARTS[name][0]:
        assert b" 200 OK\r\n" in _exchange(port, _of_parts(fine | {name: part}, port)), part
    for part in _PARTS[name][1]:
        answer = _exchange(port, _of_parts(fine | {name: part}, port))
        assert b"HTTP/1.1 40" in answer, part
        assert b"secret" not in answer, part


_HELD: list[int] = []


@given(st.data())
def test_only_a_fine_request_gets_content(data: st.DataObject) -> None:
    if not _HELD:  # one server for all examples, for as long as the tests run
        own = listening(0)
        server = Server(own, _TOKEN, _PAGE, 0.0)
        server.events.add(_EVENT)
        threading.Thread(target=server.serve, daemon=True).start()
        _HELD.append(own.getsockname()[1])
    port = _HELD[0]
    drawn = data.draw(_requests(port))
    more = [b"", b"hello"] if drawn.fine else [b"", b"hello", b"x" * 100_000]  # which would reset the connection
    answer = _exchange(port, drawn.raw + data.draw(st.sampled_from(more)))
    head, _, body = answer.partition(b"\r\n\r\n")
    if drawn.fine:
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert drawn.raw.startswith(b"HEAD") or b"secret" in body
        return
    assert b"secret" not in answer
    assert _TOKEN.encode() not in answer
    assert answer == b"" or re.fullmatch(rb"HTTP/1\.1 (400|403|404|405) [A-Za-z ]+", head.split(b"\r\n")[0])
    assert re.fullmatch(rb"(40\d [A-Za-z ]+\n)?", body)


@given(st.data())
def test_damaged_requests_get_content_only_if_they_are_fine_still(data: st.DataObject) -> None:
    port = 4711
    raw = bytearray(_request(port)[:-4])
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        if data.draw(st.booleans()):
            raw[at] = data.draw(st.integers(0, 255))
        else:
            raw[at:at] = data.draw(st.binary(max_size=8))
    found = admitted(bytes(raw), port, _TOKEN)
    if isinstance(found, PageRequest):
        first, *rest = bytes(raw).split(b"\r\n")
        assert re.fullmatch(rb"(GET|HEAD) /" + re.escape(_TOKEN.encode()) + rb"/[!-~]* HTTP/1\.[01]", first)
        hosts = [line for line in rest if line.lower().startswith(b"host:")]
        assert [line.partition(b":")[2].strip(b" \t") for line in hosts] == [f"{ADDRESS}:{port}".encode()]
    else:
        assert found in (400, 403, 404, 405)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\n\r\n",
        b"GET",
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 40,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\xff" * 20_000,
    ],
)
def test_what_is_no_request_gets_no_content(port: int, raw: bytes) -> None:
    assert b"secret" not in _exchange(port, raw)
    assert _exchange(port, _request(port)).endswith(_PAGE)


def test_oversized_and_slow_requests_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_server, "_READING", 0.05)
    with _served() as (_, port):
        long = _request(port, "GET", None, f"Host: {ADDRESS}:{port}", "X: " + "x" * 40_000)
        assert _exchange(port, long) == b""
        assert _exchange(port, _request(port)[:-1], ends=False) == b""  # the end never comes
        assert _exchange(port, b"", ends=False) == b""


def test_too_many_connections_are_dropped_and_others_answered_later() -> None:
    with _served() as (_, port):
        idle = [socket.create_connection((ADDRESS, port), 30) for _ in range(live_server._CONNECTIONS)]
        assert _exchange(port, _request(port)) == b""
        for each in idle:
            each.close()
        while not (answer := _exchange(port, _request(port))):
            pass
        assert answer.endswith(_PAGE)


def test_a_waiting_page_gets_the_last_event_before_the_server_ends() -> None:
    with _served(30.0) as (server, port):
        answers: list[bytes] = []
        raw = _request(port, "GET", f"/{_TOKEN}/events?after=1")
        waiting = threading.Thread(target=lambda: answers.append(_exchange(port, raw, ends=False)))
        waiting.start()
        while server.events.asked is None:
            pass
        server.events.add(b'["over",null]')
        server.events.end()
        waiting.join()
        assert server.events.delivered
        assert json.loads(answers[0].partition(b"\r\n\r\n")[2]) == {"events": [["over", None]], "next": 2, "over": True}


def test_nothing_else_is_listened_on() -> None:
    with listening(0) as own:
        assert own.getsockname()[0] == "127.0.0.1"
        assert own.family is socket.AF_INET


def _failing(message: str) -> FailingExecution:
    return FailingExecution(
        Failure(FailureKind.ASSERTION, message, "0", None, "AssertionError"), (), (), frozenset(), 1
    )


def test_messages_become_events() -> None:
    with listening(0) as own:
        feed = Feed(Server(own, _TOKEN, _PAGE))
        explained = Finding("race", "x" * 30_000, "0", None, Explanation((), (), None, "because"), "0123456789abcdef")
        for message in (
            ("begin", "app.py", "mcr", "sc"),
            ("sample", SearchSample(0.5, 7, 2, 1, 9.4, 3), False),
            ("note", "</script>"),
            ("found", _failing("lost")),
            ("explained", explained),
            ("progress", 1, 2, 3, False),
            ("report", CheckReport("app.py", Verdict.VIOLATION, findings=(explained,)), True),
        ):
            feed.take(pickle.loads(pickle.dumps(message)))
        events = [json.loads(line) for line in feed.server.events.lines]
    assert [kind for kind, _ in events] == ["begin", "sample", "note", "finding", "finding", "report", "over"]
    assert events[1][1] == [0.5, 7, 2, 1, 9, 3, False]
    assert events[3][1]["finding"]["message"] == "lost"
    assert len(events[4][1]["finding"]["message"]) < 21_000
    assert all(line.isascii() for line in feed.server.events.lines)


def test_the_server_ends_with_its_messages() -> None:
    with listening(0) as own:
        serve(own, _TOKEN, io.BytesIO(pickle.dumps(("note", "only this"))), 0.0)
        own.shutdown(socket.SHUT_RDWR)
