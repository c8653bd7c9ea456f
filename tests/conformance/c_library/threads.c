#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

/* Threads run one after another: each is joined before the next one starts. */
static pthread_mutex_t robust, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int destructions;
static thread_local int own = 5;
static const struct timespec past = {1, 0};

static void *alone(void *(*function)(void *), void *argument) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, &result);
    return result;
}
static void *dies(void *x) { return (void *)(intptr_t)pthread_mutex_lock(&robust); }
static void *tries(void *x) {
    int first = pthread_mutex_trylock(&checked), second = pthread_mutex_unlock(&checked);
    return (void *)(intptr_t)(first * 1000 + second);
}
static void *waits(void *x) { return (void *)(intptr_t)pthread_mutex_timedlock(&checked, &past); }
static void destroy(void *value) {
    if (++destructions < 3) pthread_setspecific(key, value);
}
static void *keeps(void *x) {
    pthread_setspecific(key, x);
    own++;
    return (void *)(intptr_t)(pthread_getspecific(key) == x) + own;
}
static int number(void *x) { return *(int *)x - 10; }
static int leaves(void *x) { thrd_exit(77); }
static once_flag once = ONCE_FLAG_INIT;
static void only_once(void) { printf("once "); }
static int calls(void *x) { call_once(&once, only_once); return 0; }

int main(void) {
    pthread_mutexattr_t attributes;
    int kind;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_gettype(&attributes, &kind);
    pthread_mutex_init(&robust, &attributes);
    printf("%d %d ", kind, pthread_mutex_consistent(&robust));
    printf("%d %d ", (int)(intptr_t)alone(dies, NULL), pthread_mutex_lock(&robust));
    printf("%d %d %d ", pthread_mutex_consistent(&robust), pthread_mutex_consistent(&robust), pthread_mutex_unlock(&robust));
    printf("%d %d ", pthread_mutex_lock(&robust), pthread_mutex_unlock(&robust));
    alone(dies, NULL);
    printf("%d %d ", pthread_mutex_trylock(&robust), pthread_mutex_unlock(&robust));
    printf("%d %d\n", pthread_mutex_lock(&robust), pthread_mutex_trylock(&robust));
    printf("%d %d %d ", pthread_mutex_lock(&checked), pthread_mutex_lock(&checked), (int)(intptr_t)alone(tries, NULL));
    printf("%d %d ", (int)(intptr_t)alone(waits, NULL), pthread_mutex_unlock(&checked));
    printf("%d %d\n", pthread_mutex_unlock(&checked), pthread_mutex_trylock(&plain));
    printf("%d %d ", pthread_key_create(&key, destroy), (int)(intptr_t)alone(keeps, &kind));
    printf("%d %d ", destructions, own);
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    printf("%d %d ", pthread_cond_timedwait(&condition, &plain, &past), pthread_mutex_unlock(&plain));
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    printf("%d %d ", pthread_rwlock_rdlock(&lock), pthread_rwlock_tryrdlock(&lock));
    printf("%d %d ", pthread_rwlock_trywrlock(&lock), pthread_rwlock_timedwrlock(&lock, &past));
    printf("%d %d %d ", pthread_rwlock_unlock(&lock), pthread_rwlock_unlock(&lock), pthread_rwlock_trywrlock(&lock));
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    printf("%d %d %d ", sem_trywait(&semaphore), sem_trywait(&semaphore), errno);
    printf("%d %d %d ", sem_timedwait(&semaphore, &past), errno, sem_post(&semaphore));
    sem_getvalue(&semaphore, &kind);
    printf("%d %d\n", kind, pthread_equal(pthread_self(), pthread_self()) != 0);

    mtx_t mutex, again;
    cnd_t signalled;
    thrd_t thread;
    tss_t tss;
    int given = 52, result = 0;
    printf("%d %d ", mtx_init(&mutex, mtx_timed), mtx_init(&again, mtx_plain | mtx_recursive));
    printf("%d %d %d %d %d ", mtx_lock(&again), mtx_lock(&again), mtx_trylock(&again), mtx_unlock(&again), mtx_unlock(&again));
    printf("%d %d %d ", mtx_lock(&mutex), mtx_trylock(&mutex) == thrd_busy, cnd_init(&signalled));
    printf("%d %d %d ", cnd_timedwait(&signalled, &mutex, &past) == thrd_timedout, cnd_signal(&signalled), cnd_broadcast(&signalled));
    printf("%d ", mtx_unlock(&mutex));
    printf("%d ", thrd_create(&thread, number, &given));
    printf("%d %d ", thrd_join(thread, &result), result);
    thrd_create(&thread, leaves, NULL);
    thrd_join(thread, &result);
    printf("%d ", result);
    for (int i = 0; i < 2; i++) {
        thrd_create(&thread, calls, NULL);
        thrd_join(thread, NULL);
    }
    printf("%d %d %d ", tss_create(&tss, NULL), tss_set(tss, &given), tss_get(tss) == &given);
    printf("%d %d\n", thrd_sleep(&(struct timespec){0, 1000}, NULL), thrd_equal(thrd_current(), thrd_current()) != 0);
    mtx_destroy(&mutex);
    cnd_destroy(&signalled);
    tss_delete(tss);
    return 0;
}
