#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

/* Semaphores return -1 and set errno. */
#define SHOW(call) (errno = 0, result = call, printf("%s=%d:%d ", #call, result, errno))
static int result;
static sem_t s;

static int value(void) {
    int now = -7;
    sem_getvalue(&s, &now);
    return now;
}
static void *waits(void *x) {
    SHOW(sem_wait(&s));
    SHOW(sem_trywait(&s));
    return NULL;
}

int main(void) {
    const struct timespec past = {1, 0}, bad = {0, 1000000000}, negative = {0, -1}, early = {-5, 999999999};
    struct timespec later;
    pthread_t thread;
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_sec += 100;
    SHOW(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1));
    SHOW(sem_init(&s, 0, UINT_MAX));
    SHOW(sem_init(&s, 0, SEM_VALUE_MAX));
    SHOW(value());
    SHOW(sem_post(&s));
    SHOW(sem_trywait(&s));
    SHOW(sem_post(&s));
    SHOW(sem_post(&s));
    SHOW(sem_destroy(&s));
    SHOW(sem_init(&s, 1, 1));
    SHOW(sem_timedwait(&s, &bad));
    SHOW(sem_timedwait(&s, &negative));
    SHOW(value());
    SHOW(sem_timedwait(&s, &past));
    SHOW(value());
    SHOW(sem_timedwait(&s, &past));
    SHOW(sem_timedwait(&s, &early));
    SHOW(sem_timedwait(&s, &bad));
    SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
    SHOW(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(sem_clockwait(&s, 77, &past));
    SHOW(sem_clockwait(&s, CLOCK_REALTIME, &bad));
    SHOW(sem_trywait(&s));
    SHOW(sem_post(&s));
    SHOW(sem_timedwait(&s, &later));
    SHOW(sem_post(&s));
    SHOW(sem_post(&s));
    pthread_create(&thread, NULL, waits, NULL);
    pthread_join(thread, NULL);
    SHOW(value());
    SHOW(sem_destroy(&s));
    printf("\n");
    return 0;
}
