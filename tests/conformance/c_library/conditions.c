#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* What waits for condition variables return: for each kind of mutex, on each clock. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_cond_t c = PTHREAD_COND_INITIALIZER, by_monotonic;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                       recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, robust;
static const struct timespec past = {1, 0}, early = {-1, 5}, bad = {0, 1000000000}, negative = {0, -1};
static struct timespec soon;
static int go;

static void *alone(void *(*function)(void *)) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, &result);
    return result;
}
static void *tries(void *x) { return (void *)(intptr_t)pthread_mutex_trylock(&recursive); }
static void *dies(void *x) { return (void *)(intptr_t)pthread_mutex_lock(&robust); }
static void *signals(void *x) {
    pthread_mutex_lock(&robust);
    go = 1;
    pthread_cond_signal(&c);
    return NULL;
}
static int later_by(clockid_t clock, const struct timespec *when) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > when->tv_sec || (now.tv_sec == when->tv_sec && now.tv_nsec >= when->tv_nsec);
}
static void soon_by(clockid_t clock) {
    clock_gettime(clock, &soon);
    soon.tv_nsec += 20000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
}

int main(void) {
    pthread_condattr_t a;
    pthread_mutexattr_t kind;
    pthread_t thread;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    SHOW(pthread_cond_init(&by_monotonic, &a));
    SHOW(pthread_cond_signal(&c));
    SHOW(pthread_cond_broadcast(&c));
    pthread_mutex_lock(&m);
    SHOW(pthread_cond_timedwait(&c, &m, &past));
    SHOW(pthread_cond_timedwait(&c, &m, &early));
    SHOW(pthread_cond_timedwait(&c, &m, &bad));
    SHOW(pthread_cond_timedwait(&c, &m, &negative));
    SHOW(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
    SHOW(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &bad));
    SHOW(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_cond_clockwait(&c, &m, 77, &past));
    soon_by(CLOCK_REALTIME);
    SHOW(pthread_cond_timedwait(&by_monotonic, &m, &past));
    SHOW(pthread_cond_clockwait(&by_monotonic, &m, CLOCK_REALTIME, &soon));
    SHOW(later_by(CLOCK_REALTIME, &soon));
    soon_by(CLOCK_MONOTONIC);
    SHOW(pthread_cond_timedwait(&c, &m, &soon));
    SHOW(later_by(CLOCK_MONOTONIC, &soon));
    SHOW(pthread_cond_timedwait(&by_monotonic, &m, &soon));
    SHOW(later_by(CLOCK_MONOTONIC, &soon));
    SHOW(pthread_mutex_unlock(&m));

    printf("\n");
    SHOW(pthread_cond_wait(&c, &checked));
    SHOW(pthread_cond_timedwait(&c, &checked, &past));
    SHOW(pthread_cond_wait(&c, &recursive));
    SHOW(pthread_mutex_lock(&checked));
    SHOW(pthread_cond_timedwait(&c, &checked, &past));
    SHOW(pthread_mutex_unlock(&checked));
    SHOW(pthread_mutex_unlock(&checked));
    for (int i = 0; i < 3; i++) SHOW(pthread_mutex_lock(&recursive));
    SHOW(pthread_cond_timedwait(&c, &recursive, &past));
    SHOW((int)(intptr_t)alone(tries));
    for (int i = 0; i < 4; i++) SHOW(pthread_mutex_unlock(&recursive));

    printf("\n");
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
    SHOW(pthread_cond_wait(&c, &robust));
    SHOW(pthread_mutex_lock(&robust));
    pthread_create(&thread, NULL, signals, NULL);
    int result = 0;
    while (!go) result = pthread_cond_wait(&c, &robust);
    printf("%d ", result);
    pthread_join(thread, NULL);
    SHOW(pthread_mutex_consistent(&robust));
    SHOW(pthread_mutex_unlock(&robust));
    SHOW((int)(intptr_t)alone(dies));
    SHOW(pthread_mutex_lock(&robust));
    SHOW(pthread_cond_timedwait(&c, &robust, &past));
    SHOW(pthread_mutex_lock(&robust));
    SHOW(pthread_cond_destroy(&c));
    SHOW(pthread_cond_destroy(&by_monotonic));
    SHOW(pthread_condattr_destroy(&a));
    printf("\n");
    return 0;
}
