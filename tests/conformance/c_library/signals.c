#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* What functions of signals return for signals and arguments that are none, and what raising, blocking and masks do. */
#define SHOW(call) (errno = 0, result = call, printf("%s=%d:%d ", #call, result, errno))
static int result, handled;

static void handler(int number) { handled = handled * 10 + number % 10; }
static void *kills(void *x) {
    SHOW(pthread_kill(pthread_self(), 0));
    SHOW(pthread_kill(pthread_self(), SIGUSR2));
    return NULL;
}

int main(void) {
    struct sigaction action = {0}, before;
    sigset_t set, old;
    pthread_t thread;
    action.sa_handler = handler;
    SHOW(signal(SIGUSR1, handler) == SIG_DFL);
    SHOW(signal(SIGUSR1, handler) == handler);
    SHOW(signal(SIGKILL, handler) == SIG_ERR);
    SHOW(signal(0, handler) == SIG_ERR);
    SHOW(signal(77777, handler) == SIG_ERR);
    SHOW(sigaction(SIGUSR2, &action, NULL));
    SHOW(sigaction(SIGUSR2, NULL, &before));
    SHOW(before.sa_handler == handler);
    SHOW(sigaction(SIGSTOP, &action, NULL));
    SHOW(sigaction(SIGSTOP, NULL, &before));
    SHOW(sigaction(-1, &action, NULL));
    printf("\n");
    SHOW(raise(SIGUSR1));
    SHOW(raise(0));
    SHOW(raise(77777));
    SHOW(kill(getpid(), 0));
    SHOW(kill(getpid(), 77777));
    SHOW(pthread_kill(pthread_self(), SIGUSR2));
    SHOW(pthread_kill(pthread_self(), 77777));
    SHOW(handled);
    pthread_create(&thread, NULL, kills, NULL);
    pthread_join(thread, NULL);
    SHOW(handled);
    printf("\n");
    SHOW(sigemptyset(&set));
    SHOW(sigaddset(&set, SIGUSR1));
    SHOW(sigaddset(&set, 0));
    SHOW(sigdelset(&set, 77777));
    SHOW(sigismember(&set, SIGUSR1));
    SHOW(sigismember(&set, SIGUSR2));
    SHOW(sigismember(&set, -1));
    SHOW(pthread_sigmask(77, &set, NULL));
    SHOW(pthread_sigmask(77, NULL, &old));
    SHOW(sigprocmask(77, &set, NULL));
    SHOW(pthread_sigmask(SIG_BLOCK, &set, &old));
    SHOW(sigismember(&old, SIGUSR1));
    SHOW(raise(SIGUSR1));
    SHOW(handled);
    SHOW(sigpending(&old));
    SHOW(sigismember(&old, SIGUSR1));
    SHOW(pthread_sigmask(SIG_UNBLOCK, &set, &old));
    SHOW(sigismember(&old, SIGUSR1));
    SHOW(handled);
    sigfillset(&set);
    SHOW(sigprocmask(SIG_SETMASK, &set, NULL));
    SHOW(sigprocmask(SIG_BLOCK, NULL, &old));
    SHOW(sigismember(&old, SIGKILL));
    SHOW(sigismember(&old, SIGTERM));
    printf("\n");
    return 0;
}
