#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void copies(void) {
    int p[2], flags;
    char b[9];
    pipe(p);
    int first = p[0], q = dup(p[1]);
    printf("%d %d\n", q - p[1], close(first) == 0 && dup(q) == first);
    printf("%d %d\n", fcntl(q, F_DUPFD, 50), fcntl(q, F_DUPFD, 50));
    printf("%d %d\n", fcntl(q, F_DUPFD, -1) == -1 && errno == EINVAL, dup(77) == -1 && errno == EBADF);
    printf("%d %d\n", dup2(q, 60), dup2(60, 60));
    printf("%d %d\n", dup2(61, 60) == -1 && errno == EBADF, dup2(60, -1) == -1 && errno == EBADF);
    printf("%d %d\n", dup3(60, 60, 0) == -1 && errno == EINVAL, dup3(60, 62, O_CLOEXEC));
    printf("%d\n", dup3(60, 62, O_APPEND) == -1 && errno == EINVAL);
    int r[2];
    pipe(r);
    write(r[1], "kept", 4);
    printf("%d\n", dup2(r[0], 62));
    close(r[0]);
    printf("%zd\n", read(62, b, 9));
    dup2(q, r[1]);
    printf("%zd\n", read(62, b, 9));
    flags = fcntl(62, F_GETFL);
    fcntl(62, F_SETFL, flags | O_NONBLOCK);
    int more = dup(62);
    printf("%d\n", (fcntl(more, F_GETFL) & O_NONBLOCK) != 0);
    int out = dup(1);
    fflush(stdout);
    printf("%d %zd\n", out > 2, write(out, "copied\n", 7));
    fflush(stdout);
    printf("%d %d\n", dup2(out, 1), close(out));
}

static void addresses(void) {
    struct sockaddr_in a = {0}, own, peer, given;
    socklen_t size = sizeof a, size_of_given = sizeof given;
    int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
    printf("%d\n", getpeername(c, (void *)&peer, &size) == -1 && errno == ENOTCONN);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_ANY);
    bind(l, (void *)&a, sizeof a);
    listen(l, 5);
    getsockname(l, (void *)&a, &size);
    printf("%d %d %d\n", size, a.sin_addr.s_addr, a.sin_port != 0);
    printf("%d\n", connect(c, (void *)&a, sizeof a));
    int s = accept(l, (void *)&given, &size_of_given);
    getsockname(c, (void *)&own, &size);
    printf("%s %d\n", inet_ntoa(own.sin_addr), own.sin_port != 0);
    getpeername(s, (void *)&peer, &size);
    printf("%d %d %d\n", size, peer.sin_port == own.sin_port, peer.sin_addr.s_addr == own.sin_addr.s_addr);
    printf("%d\n", given.sin_port == own.sin_port);
    getpeername(c, (void *)&peer, &size);
    printf("%s %d\n", inet_ntoa(peer.sin_addr), peer.sin_port == a.sin_port);
    getsockname(s, (void *)&own, &size);
    printf("%s %d\n", inet_ntoa(own.sin_addr), own.sin_port == a.sin_port);
    int pair[2];
    struct sockaddr_un u;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    size = sizeof u;
    printf("%d %d %d\n", getpeername(pair[0], (void *)&u, &size), size, u.sun_family);
    size = sizeof u;
    printf("%d %d\n", getsockname(pair[1], (void *)&u, &size), size);
    printf("%d\n", getpeername(1, (void *)&u, &size) == -1);
}

int main(void) {
    copies();
    addresses();
    fflush(stdout);
}
