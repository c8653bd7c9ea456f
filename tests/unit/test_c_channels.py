"""Pipes, sockets and signals of C programs: as the system has them, and explored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.c_programs import explored

from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import FailureKind
from mazurka.program.settings import ProgramSettings

HEAD = """
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
"""

PIPES = """
int main() {
    int p[2], q; char b[9000]; memset(b, 'x', sizeof b);
    assert(pipe(p) == 0 && write(p[1], "hello", 5) == 5 && read(p[0], b, 3) == 3 && !memcmp(b, "hel", 3));
    q = dup(p[1]);
    assert(close(p[1]) == 0 && write(q, "!", 1) == 1 && read(p[0], b, 9) == 3 && !memcmp(b, "lo!", 3));
    assert(close(q) == 0 && read(p[0], b, 9) == 0 && write(q, "a", 1) == -1 && errno == EBADF);
    assert(write(p[0], "a", 1) == -1 && errno == EBADF && lseek(p[0], 0, SEEK_CUR) == -1 && errno == ESPIPE);
    close(p[0]);
    assert(pipe2(p, O_NONBLOCK) == 0 && read(p[0], b, 1) == -1 && errno == EAGAIN);
    assert(fcntl(p[0], F_GETFL) & O_NONBLOCK);
    int sum = 0, n; while ((n = write(p[1], b, 4096)) > 0) sum += n;
    assert(sum == 65536 && errno == EAGAIN && read(p[0], b, 4096) == 4096 && write(p[1], b, 4096) == 4096);
    signal(SIGPIPE, SIG_IGN); close(p[0]);
    assert(write(p[1], "a", 1) == -1 && errno == EPIPE);
    assert(pipe(p) == 0 && dprintf(p[1], "one\\ntwo\\nrest") == 12);
    FILE *in = fdopen(p[0], "r"); char line[9]; close(p[1]);
    assert(fgets(line, 9, in) && !strcmp(line, "one\\n") && fgets(line, 3, in) && !strcmp(line, "tw"));
    assert(fgetc(in) == 'o' && fgetc(in) == '\\n');
    assert(fgets(line, 9, in) && !strcmp(line, "rest") && !fgets(line, 9, in));
    assert(fclose(in) == 0 && close(p[0]) == -1);
}
"""

SOCKETS = """
int main() {
    int s[2], n; char b[100];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && send(s[0], "ping", 4, 0) == 4);
    assert(recv(s[1], b, 100, MSG_PEEK) == 4 && recv(s[1], b, 2, 0) == 2 && recv(s[1], b, 9, MSG_DONTWAIT) == 2);
    assert(recv(s[1], b, 9, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    struct iovec v[2] = {{"po", 2}, {"ng", 2}}; assert(writev(s[1], v, 2) == 4 && read(s[0], b, 9) == 4);
    assert(!memcmp(b, "pong", 4) && shutdown(s[0], SHUT_WR) == 0 && read(s[1], b, 9) == 0 && write(s[1], "x", 1) == 1);
    assert(read(s[0], b, 9) == 1); close(s[1]);
    assert(read(s[0], b, 9) == 0 && send(s[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);

    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a; int one = 1;
    int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
    assert(setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 && bind(l, (void *)&a, sizeof a) == 0);
    assert(getsockname(l, (void *)&a, &size) == 0 && size == sizeof a && a.sin_port != 0);
    assert(connect(c, (void *)&a, sizeof a) == -1 && errno == ECONNREFUSED && listen(l, 5) == 0);
    close(c); c = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd f[2] = {{l, POLLIN}, {c, POLLIN}};
    assert(poll(f, 1, 0) == 0 && connect(c, (void *)&a, sizeof a) == 0 && poll(f, 1, 0) == 1 && f[0].revents == POLLIN);
    int d = accept(l, 0, 0);
    assert(d >= 0 && write(c, "abc", 3) == 3 && read(d, b, 9) == 3 && !memcmp(b, "abc", 3));
    f[0].fd = d; f[0].events = POLLIN | POLLOUT;
    assert(poll(f, 2, 0) == 1 && f[0].revents == POLLOUT && f[1].revents == 0);
    assert(write(d, "z", 1) == 1 && poll(f, 2, -1) == 2 && f[1].revents == POLLIN);
    fd_set r, w; FD_ZERO(&r); FD_ZERO(&w); FD_SET(c, &r); FD_SET(d, &r); FD_SET(d, &w); struct timeval t = {0, 0};
    assert(select((c > d ? c : d) + 1, &r, &w, 0, &t) == 2 && FD_ISSET(c, &r) && !FD_ISSET(d, &r) && FD_ISSET(d, &w));
    close(d); assert(read(c, b, 9) == 1 && read(c, b, 9) == 0);

    struct sockaddr_un u = {.sun_family = AF_UNIX}; strcpy(u.sun_path, "socket"); struct stat st;
    int m = socket(AF_UNIX, SOCK_STREAM, 0), e = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(e, (void *)&u, sizeof u) == -1 && errno == ENOENT && bind(m, (void *)&u, sizeof u) == 0);
    assert(stat("socket", &st) == 0 && S_ISSOCK(st.st_mode) && listen(m, 1) == 0);
    assert(connect(e, (void *)&u, sizeof u) == 0 && write(e, "hi", 2) == 2);
    n = accept(m, 0, 0); assert(read(n, b, 9) == 2 && close(n) == 0 && close(m) == 0 && unlink("socket") == 0);

    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *i;
    assert(getaddrinfo(0, "8080", &hints, &i) == 0 && i->ai_family == AF_INET && i->ai_addrlen == sizeof a);
    struct sockaddr_in *any = (void *)i->ai_addr;
    assert(any->sin_port == htons(8080) && any->sin_addr.s_addr == 0 && i->ai_protocol == IPPROTO_TCP);
    assert(i->ai_socktype == SOCK_STREAM && i->ai_next == 0); freeaddrinfo(i);
    hints.ai_flags = 0; assert(getaddrinfo("127.0.0.1", 0, &hints, &i) == 0); any = (void *)i->ai_addr;
    assert(any->sin_addr.s_addr == htonl(INADDR_LOOPBACK) && any->sin_port == 0); freeaddrinfo(i);
    hints.ai_flags = AI_NUMERICHOST;
    assert(getaddrinfo("none", 0, &hints, &i) == EAI_NONAME && strlen(gai_strerror(EAI_NONAME)) > 0);

    socketpair(AF_UNIX, SOCK_STREAM, 0, s); size = sizeof one;
    struct msghdr g = {.msg_iov = v, .msg_iovlen = 2};
    assert(sendmsg(s[0], &g, 0) == 4 && read(s[1], b, 9) == 4 && !memcmp(b, "pong", 4));
    assert(getsockopt(s[0], SOL_SOCKET, SO_ERROR, &one, &size) == 0 && one == 0 && size == sizeof one);
    assert(getsockopt(s[0], SOL_SOCKET, SO_TYPE, &one, &size) == 0 && one == SOCK_STREAM);
}
"""

SIGNALS = """
static volatile sig_atomic_t last, calls;
static void handle(int number) { last = number; calls++; }
int main() {
    struct sigaction a = {.sa_handler = handle}, old; sigset_t set;
    sigemptyset(&a.sa_mask);
    assert(sigaction(SIGUSR1, &a, 0) == 0 && raise(SIGUSR1) == 0 && last == SIGUSR1 && calls == 1);
    assert(kill(getpid(), SIGUSR1) == 0 && calls == 2 && pthread_kill(pthread_self(), SIGUSR1) == 0 && calls == 3);
    assert(sigaction(SIGUSR1, 0, &old) == 0 && old.sa_handler == handle && signal(SIGUSR1, SIG_IGN) == handle);
    assert(sigignore(SIGHUP) == 0 && raise(SIGHUP) == 0 && sigignore(999) == -1);
    assert(raise(SIGUSR1) == 0 && calls == 3 && kill(getpid(), 0) == 0 && raise(999) != 0);
    a.sa_flags = SA_RESETHAND; sigaction(SIGUSR2, &a, 0); raise(SIGUSR2);
    assert(calls == 4 && signal(SIGUSR2, SIG_DFL) == SIG_DFL && raise(SIGCHLD) == 0);
    sigemptyset(&set); sigaddset(&set, SIGINT);
    assert(sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGHUP) == 0 && sigprocmask(SIG_BLOCK, &set, 0) == 0);
    sigset_t now; assert(pthread_sigmask(SIG_SETMASK, 0, &now) == 0 && sigismember(&now, SIGINT) == 1);
    int p[2]; pipe(p); close(p[0]); signal(SIGPIPE, handle);
    assert(write(p[1], "x", 1) == -1 && errno == EPIPE && last == SIGPIPE);
}
"""


def _program(folder: Path, text: str) -> CProgram:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return CProgram(str(path), (), (), ProgramSettings())


def _outcome(folder: Path, text: str, strategy: str = "dpor") -> Outcome:
    return explored(_program(folder, text), strategy)


@pytest.mark.parametrize("text", [PIPES, SOCKETS, SIGNALS], ids=["pipes", "sockets", "signals"])
def test_one_thread_sees_what_the_system_shows(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program holds natively, too."""
    monkeypatch.chdir(tmp_path)
    outcome = _outcome(tmp_path, text)
    assert not isinstance(outcome.verdict, Violation), outcome.verdict
    assert "cut" not in str(outcome.verdict)
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "program.c", "-o", "program"]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run(["./program"], check=True)


SERVED = """
static void *client(void *port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(4000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int s = socket(AF_INET, SOCK_STREAM, 0); char b[9];
    if (connect(s, (void *)&a, sizeof a) < 0) { assert(errno == ECONNREFUSED && !READY); return 0; }
    assert(write(s, "ask", 3) == 3 && read(s, b, 9) == 3 && !memcmp(b, "yes", 3)); close(s);
    return 0;
}
int main() {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(4000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int s = socket(AF_INET, SOCK_STREAM, 0), c; char b[9]; pthread_t t;
    bind(s, (void *)&a, sizeof a);
    if (READY) listen(s, 1);
    pthread_create(&t, 0, client, 0);
    if (!READY) listen(s, 1);
    c = accept(s, 0, 0);
    assert(read(c, b, 9) == 3 && write(c, "yes", 3) == 3);
    pthread_join(t, 0);
}
"""

TRANSFER = """
static int p[2], q[2];
static void *work(void *n) {
    char b[9];
    assert(read(p[0], b, 1) == 1);
    assert(write(q[1], b, 1) == 1);
    return 0;
}
int main() {
    pthread_t t[2]; char b[9]; int sum = 0;
    pipe(p); pipe(q);
    for (int i = 0; i < 2; i++) pthread_create(t + i, 0, work, 0);
    assert(write(p[1], "ab", SENT) == SENT);
    while (sum < 2) sum += read(q[0], b, 2);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
"""

POLLED = """
static int p[2], q[2];
static void *one(void *n) { write(p[1], "a", 1); return 0; }
static void *two(void *n) { write(q[1], "b", 1); return 0; }
int main() {
    pthread_t t[2]; char b[2]; int seen = 0;
    pipe(p); pipe(q);
    pthread_create(t, 0, one, 0); pthread_create(t + 1, 0, two, 0);
    while (seen < 2) {
        struct pollfd f[2] = {{p[0], POLLIN}, {q[0], POLLIN}};
        int n = poll(f, 2, -1);
        assert(n > 0 && (FIRST || f[0].revents));
        for (int i = 0; i < 2; i++) if (f[i].revents) seen += read(f[i].fd, b, 1);
    }
    pthread_join(t[0], 0); pthread_join(t[1], 0);
}
"""

STRATEGIES = ("dpor", "mcr")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sent", [1, 2])
def test_a_thread_waits_for_bytes_and_forever_where_none_come(sent: int, strategy: str, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, TRANSFER.replace("SENT", str(sent)), strategy)
    if sent == 2:
        assert isinstance(outcome.verdict, Verified)
    else:
        assert isinstance(outcome.verdict, Violation)
        assert outcome.found[0].failure.kind in (FailureKind.DEADLOCK, FailureKind.BLOCKED)
        assert "pipe 0#2" in outcome.found[0].failure.message


@pytest.mark.parametrize("ready", [0, 1])
def test_a_client_may_come_before_its_server_listens(ready: int, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, SERVED.replace("READY", str(ready)), "mcr")
    if ready:
        assert isinstance(outcome.verdict, Verified), outcome.verdict
        assert "a read of a socket gives all bytes" in outcome.verdict.scope + " ".join(outcome.assumed)
    else:
        assert isinstance(outcome.verdict, Violation)
        assert outcome.found[0].failure.kind is not FailureKind.ASSERTION


@pytest.mark.parametrize("first", [0, 1])
def test_poll_wakes_for_each_of_several_pipes(first: int, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, POLLED.replace("FIRST", str(first)))
    assert isinstance(outcome.verdict, Verified if first else Violation), outcome.verdict


KILLED = """
static void *work(void *p) { PART; return 0; }
static void handle(int n) {}
int main() {
    pthread_t t; int p[2]; pipe(p); signal(SIGUSR1, handle); sigset_t s; sigemptyset(&s); sigaddset(&s, SIGPIPE);
    pthread_create(&t, 0, work, p); close(p[0]); pthread_join(t, 0);
}
"""


def test_writing_to_a_closed_pipe_kills_the_process(tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, KILLED.replace("PART", 'write(((int *)p)[1], "x", 1)'))
    assert isinstance(outcome.verdict, Violation)
    assert outcome.found[0].failure.message == "signal: the process is killed by SIGPIPE"


@pytest.mark.parametrize(
    "part",
    [
        "kill(getpid(), SIGUSR1)",
        "sigset_t s; sigfillset(&s); pthread_sigmask(SIG_BLOCK, &s, 0); raise(40); raise(40)",
        "alarm(1)",
        "int s = socket(AF_INET, SOCK_DGRAM, 0); (void)s",
    ],
)
def test_what_is_not_modelled_is_never_verified(part: str, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, KILLED.replace("PART", part))
    assert isinstance(outcome.verdict, Inconclusive)
    assert "the run was cut" in outcome.verdict.reason


def test_a_descriptor_whose_number_may_be_used_again_is_untracked(tmp_path: Path) -> None:
    """A second ``close`` may close the file of another thread."""
    text = """
    static int p[2];
    static void *one(void *z) { close(p[0]); close(p[0]); return 0; }
    static void *two(void *z) { int f = open("/dev/null", O_RDONLY); close(f); return 0; }
    int main() {
        pthread_t a, b;
        assert(pipe(p) == 0);
        pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0);
        close(p[1]);
    }
    """
    outcome = _outcome(tmp_path, text)
    assert isinstance(outcome.verdict, Inconclusive)
    assert "descriptors" in str(outcome.verdict)
