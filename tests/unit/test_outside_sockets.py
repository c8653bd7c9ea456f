"""Pipes and sockets between threads: waiting for them is the runtime's, races over them are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

RACES = {
    "a timeout set by another thread": """
        import socket
        a, b = socket.socketpair()
        def receive():
            assert a.recv(1) == b"x"
        def send():
            a.settimeout(0)
            b.sendall(b"x")
        run(receive, send)
        a.close()
        b.close()
    """,
    "closed by another thread": """
        import socket
        a, b = socket.socketpair()
        def look():
            assert a.fileno() >= 0
        run(look, a.close)
        b.close()
    """,
    "a pipe closed by another thread": """
        import os
        reading, writing = os.pipe()
        run(lambda: os.fstat(reading), lambda: os.close(reading))
        os.close(writing)
    """,
    "the timeout of new sockets": """
        import socket
        def change():
            socket.setdefaulttimeout(1)
            socket.setdefaulttimeout(None)
        def look():
            with socket.socket() as made:
                assert made.gettimeout() is None
        run(change, look)
    """,
    "two senders": """
        import socket
        a, b = socket.socketpair()
        def twice():
            a.sendall(b"a")
            a.sendall(b"b")
        run(twice, lambda: a.sendall(b"c"))
        assert b.recv(10) in (b"abc", b"cab")
        a.close()
        b.close()
    """,
    "two receivers": """
        import os
        reading, writing = os.pipe()
        os.write(writing, b"ab")
        got = {}
        def work(name):
            got[name] = os.read(reading, 1)
        run(lambda: work(0), lambda: work(1))
        assert got[0] == b"a"
    """,
    "nobody sends": """
        import socket
        a, b = socket.socketpair()
        state = []
        def send():
            if not state:
                a.sendall(b"x")
        def receive():
            state.append(1)
            b.recv(1)
        run(send, receive)
        a.close()
        b.close()
    """,
    "looks before it is there": """
        import os, select
        reading, writing = os.pipe()
        seen = []
        run(lambda: os.write(writing, b"x"), lambda: seen.extend(select.select([reading], [], [], 0)[0]))
        assert seen
    """,
    "who comes first": """
        import socket
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = server.getsockname()
            def connect(name):
                with socket.create_connection(address) as connection:
                    connection.sendall(name)
            run(lambda: connect(b"a"), lambda: connect(b"b"))
            first, _ = server.accept()
            assert first.recv(1) == b"a"
            first.close()
    """,
    "messages": """
        import socket
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind(("127.0.0.1", 0))
        def send(text):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(text, receiver.getsockname())
        run(lambda: send(b"a"), lambda: send(b"b"))
        assert receiver.recvfrom(9)[0] == b"a"
        receiver.close()
    """,
}

CORRECT = {
    "uses of a socket that is closed": """
        import socket
        a, b = socket.socketpair()
        a.close()
        def refused(use):
            try:
                use()
            except OSError:
                return
            raise AssertionError
        def receive():
            refused(lambda: a.recv(1))
            refused(lambda: a.recv_into(bytearray(1)))
            refused(lambda: a.accept())
            refused(lambda: a.getpeername())
        def send():
            refused(lambda: a.sendall(b"x"))
            refused(lambda: a.send(b"x"))
            refused(lambda: a.sendmsg([b"x"]))
            refused(lambda: a.sendto(b"x", "nowhere"))
            refused(lambda: a.shutdown(socket.SHUT_RDWR))
        run(receive, send)
        b.close()
    """,
    "a socket closed while it is read": """
        import socket
        a, b = socket.socketpair()
        def read():
            try:
                while a.recv(1024):
                    pass
            except OSError:
                pass
        def end():
            b.close()
            a.close()
        run(read, end)
    """,
    "a socket closed while it is written": """
        import socket
        a, b = socket.socketpair()
        def send():
            try:
                a.sendall(b"hello")
            except OSError:
                pass
        run(send, a.close)
        b.close()
    """,
    "messages answered": """
        import socket
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        def answer():
            data, sender = server.recvfrom(10)
            server.sendto(data.upper(), sender)
        def ask():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.sendto(b"a", server.getsockname())
                assert client.recv(10) == b"A"
        def ask_connected():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.connect(server.getsockname())
                client.send(b"a")
                assert client.recv(10) == b"A"
        run(answer, ask)
        run(answer, ask_connected)
        server.close()
    """,
    "one sends, one receives": """
        import socket
        a, b = socket.socketpair()
        got = []
        run(lambda: a.sendall(b"x"), lambda: got.append(b.recv(1)))
        assert got == [b"x"]
        a.close()
        b.close()
    """,
    "until the end": """
        import os
        reading, writing = os.pipe()
        got = []
        def send():
            with os.fdopen(writing, "w") as stream:
                stream.write("one\\ntwo\\n")
        def receive():
            with os.fdopen(reading) as stream:
                got.extend(stream)
        run(send, receive)
        assert got == ["one\\n", "two\\n"]
    """,
    "a server": """
        import encodings.idna, socket  # otherwise the first thread that asks for an address imports the codec
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = server.getsockname()
            def serve():
                connection, _ = server.accept()
                with connection, connection.makefile("rwb") as stream:
                    stream.write(stream.readline().upper())
            def ask():
                with socket.create_connection(address) as connection, connection.makefile("rwb") as stream:
                    stream.write(b"hello\\n")
                    stream.flush()
                    assert stream.readline() == b"HELLO\\n"
            run(serve, ask)
    """,
    "a server in the file system": """
        import os, socket, tempfile
        folder = tempfile.mkdtemp()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.join(folder, "socket"))
            server.listen()
            def serve():
                connection, _ = server.accept()
                connection.sendall(b"x")
                connection.close()
            def ask():
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(os.path.join(folder, "socket"))
                    assert connection.recv(9) == b"x"
                    assert connection.recv(9) == b""
            run(serve, ask)
    """,
    "selectors": """
        import os, selectors
        reading, writing = os.pipe()
        def wait():
            with selectors.DefaultSelector() as selector:
                selector.register(reading, selectors.EVENT_READ)
                [(key, events)] = selector.select()
                assert key.fd == reading and os.read(reading, 1) == b"x"
        run(wait, lambda: os.write(writing, b"x"))
    """,
    "poll": """
        import os, select
        reading, writing = os.pipe()
        def wait():
            poll = select.poll()
            poll.register(reading, select.POLLIN)
            assert poll.poll() == [(reading, select.POLLIN)]
        run(wait, lambda: os.write(writing, b"x"))
    """,
    "epoll": """
        import os, select
        reading, writing = os.pipe()
        def wait():
            with select.epoll() as epoll:
                epoll.register(reading, select.EPOLLIN)
                assert epoll.poll() == [(reading, select.EPOLLIN)]
        run(wait, lambda: os.write(writing, b"x"))
    """,
    "more than a buffer holds": """
        import socket
        a, b = socket.socketpair()
        got = []
        def send():
            a.sendall(b"x" * 500_000)
            a.close()
        def receive():
            while part := b.recv(400_000):
                got.append(len(part))
        run(send, receive)
        assert sum(got) == 500_000
        b.close()
    """,
}


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")  # of sockets that the programs leave open
@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize(
    "strategy", [*(pytest.param(each, marks=pytest.mark.long) for each in ("dfs", "se-mcr")), "dpor", "mcr"]
)
def test_races_are_found(tmp_path: Path, name: str, strategy: str) -> None:
    result = explored(tmp_path, RACES[name], strategy=strategy)
    assert result.verdict is Verdict.VIOLATION, str(result)


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CORRECT)
@pytest.mark.parametrize("strategy", ["dpor", "auto"])
def test_no_more_than_that(tmp_path: Path, name: str, strategy: str) -> None:
    result = explored(tmp_path, CORRECT[name], strategy=strategy)
    assert result.verdict is Verdict.VERIFIED, str(result)


def test_what_stands_in_for_a_function_is_no_method(tmp_path: Path) -> None:
    source = """
        import os, select
        class Kept:
            poll = select.poll
            fork = os.fork
            stat = os.stat
            open = open
        def work():
            assert Kept().poll().poll(0) == []
            assert Kept().stat("/")
            Kept().open("/dev/null").close()
        run(work, work)
    """
    result = explored(tmp_path, source, strategy="mcr")
    assert result.verdict is not Verdict.VIOLATION, str(result)


def test_what_leaves_the_process_is_counted(tmp_path: Path) -> None:
    source = """
        import socket
        def work():
            with socket.socket() as connection:
                connection.settimeout(0.01)
                try:
                    connection.connect(("127.0.0.1", 1))
                except OSError:
                    pass
        run(work, work)
    """
    result = explored(tmp_path, source, strategy="mcr")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "socket.socket.connect" in str(result)
