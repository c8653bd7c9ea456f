#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* What calls on read-write locks of each kind return, in the thread that has the lock and in others. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_rwlock_t *l;
static const struct timespec past = {1, 0}, bad = {0, 1000000000}, negative = {0, -1};
static struct timespec later;

static void alone(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}
static void *tries(void *x) {
    int result;
    SHOW(result = pthread_rwlock_tryrdlock(l));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(result = pthread_rwlock_trywrlock(l));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(result = pthread_rwlock_timedrdlock(l, &past));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(result = pthread_rwlock_timedwrlock(l, &past));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(pthread_rwlock_timedrdlock(l, &bad));
    SHOW(pthread_rwlock_timedwrlock(l, &bad));
    SHOW(result = pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &past));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(result = pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &past));
    if (!result) SHOW(pthread_rwlock_unlock(l));
    SHOW(pthread_rwlock_clockrdlock(l, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_rwlock_clockwrlock(l, 77, &past));
    SHOW(pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, &negative));
    return NULL;
}
static void *writes_late(void *x) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    SHOW(pthread_rwlock_timedwrlock(l, &soon));
    return NULL;
}

static void use(pthread_rwlock_t *lock) {
    l = lock;
    printf("free: ");
    alone(tries);
    printf("\nread: ");
    SHOW(pthread_rwlock_rdlock(l));
    SHOW(pthread_rwlock_rdlock(l));
    SHOW(pthread_rwlock_tryrdlock(l));
    SHOW(pthread_rwlock_trywrlock(l));
    SHOW(pthread_rwlock_timedwrlock(l, &past));
    alone(tries);
    for (int i = 0; i < 3; i++) SHOW(pthread_rwlock_unlock(l));
    printf("\nwritten: ");
    SHOW(pthread_rwlock_wrlock(l));
    SHOW(pthread_rwlock_wrlock(l));
    SHOW(pthread_rwlock_rdlock(l));
    SHOW(pthread_rwlock_tryrdlock(l));
    SHOW(pthread_rwlock_trywrlock(l));
    SHOW(pthread_rwlock_timedrdlock(l, &later));
    SHOW(pthread_rwlock_timedwrlock(l, &later));
    SHOW(pthread_rwlock_timedwrlock(l, &bad));
    alone(tries);
    SHOW(pthread_rwlock_unlock(l));
    printf("\n");
}

int main(void) {
    static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER,
                            first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    pthread_rwlock_t lock;
    pthread_rwlockattr_t a;
    pthread_t writer;
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_sec += 100;
    use(&plain);
    use(&first);
    for (int kind = 0; kind < 3; kind++) {
        pthread_rwlockattr_init(&a);
        SHOW(pthread_rwlockattr_setkind_np(&a, kind));
        SHOW(pthread_rwlock_init(&lock, &a));
        SHOW(pthread_rwlockattr_destroy(&a));
        use(&lock);
        /* A writer waits meanwhile. */
        SHOW(pthread_rwlock_rdlock(&lock));
        pthread_create(&writer, NULL, writes_late, NULL);
        usleep(200000);
        int result;
        SHOW(result = pthread_rwlock_tryrdlock(&lock));
        if (!result) SHOW(pthread_rwlock_unlock(&lock));
        SHOW(result = pthread_rwlock_timedrdlock(&lock, &past));
        if (!result) SHOW(pthread_rwlock_unlock(&lock));
        SHOW(pthread_rwlock_trywrlock(&lock));
        pthread_join(writer, NULL);
        SHOW(result = pthread_rwlock_tryrdlock(&lock));
        SHOW(pthread_rwlock_unlock(&lock));
        SHOW(pthread_rwlock_unlock(&lock));
        SHOW(pthread_rwlock_destroy(&lock));
        printf("\n");
    }
    return 0;
}
