#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/* Functions of descriptors that are not open, and of files that are not there. */
#define SHOW(call) (errno = 0, result = call, printf("%s=%d:%d ", #call, result, errno))
static int result;

int main(void) {
    char buffer[8] = "";
    int ends[2];
    struct pollfd polled = {-1, POLLIN, 0};
    FILE *none;
    SHOW(close(-1));
    SHOW(close(77));
    SHOW(read(-1, buffer, 1));
    SHOW(write(-1, buffer, 1));
    SHOW(lseek(-1, 0, SEEK_SET));
    SHOW(dup(-1));
    SHOW(dup2(1, -1));
    SHOW(fcntl(-1, F_GETFD));
    SHOW(fcntl(-1, F_GETFL));
    SHOW(open("/nonexistent/x", O_RDONLY));
    SHOW(unlink("/nonexistent"));
    SHOW(rmdir("/nonexistent"));
    SHOW(access("/nonexistent", F_OK));
    SHOW(fopen("/nonexistent", "r") == NULL);
    printf("\n");
    SHOW(pipe(ends));
    SHOW(fcntl(ends[0], F_GETFD));
    SHOW(write(ends[1], "abc", 3));
    SHOW(read(ends[0], buffer, sizeof buffer));
    SHOW(close(ends[1]));
    SHOW(read(ends[0], buffer, sizeof buffer));
    SHOW(close(ends[0]));
    SHOW(close(ends[0]));
    SHOW(poll(&polled, 1, 0));
    polled.fd = 77;
    SHOW(poll(&polled, 1, 0));
    SHOW(polled.revents == POLLNVAL);
    none = fopen("/dev/null", "r+");
    SHOW(fputs("text", none) >= 0);
    SHOW(fclose(none));
    printf("\n");
    return 0;
}
