/* Functions of older glibc, of Linux, and semaphores that have names. */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern int __fxstat(int version, int fd, struct stat *to);
extern int __xstat(int version, const char *name, struct stat *to);
extern int __lxstat(int version, const char *name, struct stat *to);
extern void (*__sysv_signal(int number, void (*handler)(int)))(int);

static void handler(int number) { printf("got %d\n", number == SIGUSR1); }

static void files(void) {
    char name[] = "old_calls.tmp";
    struct stat s;
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    printf("%ld\n", (long)write(fd, "abc", 3));
    printf("%d %ld\n", __fxstat(1, fd, &s), (long)s.st_size);
    printf("%d %ld\n", __xstat(1, name, &s), (long)s.st_size);
    printf("%d %ld\n", __lxstat(1, name, &s), (long)s.st_size);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    printf("%d\n", fcntl(fd, F_SETLK, &lock));
    printf("%d\n", fcntl(fd, F_SETLKW, &lock));
    printf("%d %d\n", fcntl(fd, F_GETLK, &lock), lock.l_type == F_UNLCK);
    printf("%d\n", unlink(name));
    printf("%d %d\n", __xstat(1, name, &s), errno == ENOENT);
}

static void semaphores(void) {
    int value;
    sem_unlink("/mazurka-old-calls");
    printf("%d %d\n", sem_open("/mazurka-old-calls", 0) == SEM_FAILED, errno == ENOENT);
    sem_t *s = sem_open("/mazurka-old-calls", O_CREAT | O_EXCL, 0600, 2);
    printf("%d\n", s != SEM_FAILED);
    printf("%d %d\n", sem_open("/mazurka-old-calls", O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED, errno == EEXIST);
    sem_t *again = sem_open("/mazurka-old-calls", O_CREAT, 0600, 7);
    printf("%d %d %d\n", again == s, sem_wait(s), sem_close(again));
    printf("%d\n", sem_close(s));
    s = sem_open("/mazurka-old-calls", 0);
    sem_getvalue(s, &value);
    printf("%d\n", value);
    printf("%d %d %d\n", sem_unlink("/mazurka-old-calls"), sem_unlink("/mazurka-old-calls"), errno == ENOENT);
    sem_t *other = sem_open("/mazurka-old-calls", O_CREAT, 0600, 5);
    sem_getvalue(other, &value);
    printf("%d %d\n", other == s, value);
    printf("%d %d %d\n", sem_close(s), sem_close(other), sem_unlink("/mazurka-old-calls"));
}

int main(void) {
    char name[16];
    printf("%d\n", prctl(PR_SET_NAME, "a name that is too long", 0, 0, 0));
    printf("%d %s\n", prctl(PR_GET_NAME, name, 0, 0, 0), name);
    printf("%d\n", __sysv_signal(SIGUSR1, handler) == SIG_DFL);
    raise(SIGUSR1);
    printf("%d\n", __sysv_signal(SIGUSR1, handler) == SIG_DFL);
    files();
    semaphores();
    return 0;
}
