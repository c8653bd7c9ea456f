#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* What calls on each kind of mutex return: in its owner, and in another thread while it is locked and free. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_mutex_t *m;
static const struct timespec past = {1, 0}, bad = {0, 1000000000}, negative = {0, -1};
static struct timespec later;

static void alone(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}
static void *while_locked(void *x) {
    SHOW(pthread_mutex_trylock(m));
    SHOW(pthread_mutex_timedlock(m, &past));
    SHOW(pthread_mutex_timedlock(m, &bad));
    SHOW(pthread_mutex_timedlock(m, &negative));
    SHOW(pthread_mutex_clocklock(m, CLOCK_REALTIME, &past));
    SHOW(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &past));
    SHOW(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &bad));
    SHOW(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_mutex_clocklock(m, 77, &past));
    return NULL;
}
static void *while_free(void *x) {
    SHOW(pthread_mutex_timedlock(m, &bad));
    SHOW(pthread_mutex_unlock(m));
    SHOW(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &later));
    SHOW(pthread_mutex_unlock(m));
    SHOW(pthread_mutex_clocklock(m, CLOCK_MONOTONIC_RAW, &past));
    return NULL;
}
static void *unlocks(void *x) {
    SHOW(pthread_mutex_unlock(m));
    return NULL;
}
static void *dies(void *x) {
    SHOW(pthread_mutex_lock(m));
    return NULL;
}

static void use(const char *name, int type, int robust, int protocol) {
    pthread_mutexattr_t a;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&a);
    printf("\n%s: ", name);
    SHOW(pthread_mutexattr_settype(&a, type));
    SHOW(pthread_mutexattr_setrobust(&a, robust));
    SHOW(pthread_mutexattr_setprotocol(&a, protocol));
    SHOW(pthread_mutex_init(&mutex, &a));
    m = &mutex;
    pthread_mutexattr_destroy(&a);
    SHOW(pthread_mutex_lock(m));
    alone(while_locked);
    if (type != PTHREAD_MUTEX_NORMAL && type != PTHREAD_MUTEX_ADAPTIVE_NP) {
        SHOW(pthread_mutex_lock(m));
        SHOW(pthread_mutex_timedlock(m, &bad));
        alone(unlocks);
    } else if (robust) {
        alone(unlocks);
    }
    SHOW(pthread_mutex_trylock(m));
    if (type == PTHREAD_MUTEX_RECURSIVE) {
        SHOW(pthread_mutex_unlock(m));
        SHOW(pthread_mutex_unlock(m));
        SHOW(pthread_mutex_unlock(m));
    }
    SHOW(pthread_mutex_consistent(m));
    SHOW(pthread_mutex_unlock(m));
    if (robust || type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) SHOW(pthread_mutex_unlock(m));
    alone(while_free);
    if (robust) {
        alone(dies);
        SHOW(pthread_mutex_timedlock(m, &later));
        SHOW(pthread_mutex_consistent(m));
        SHOW(pthread_mutex_consistent(m));
        SHOW(pthread_mutex_unlock(m));
        alone(dies);
        SHOW(pthread_mutex_trylock(m));
        if (type == PTHREAD_MUTEX_RECURSIVE) {
            SHOW(pthread_mutex_lock(m));
            SHOW(pthread_mutex_unlock(m));
        }
        SHOW(pthread_mutex_unlock(m));
        SHOW(pthread_mutex_lock(m));
    }
    SHOW(pthread_mutex_destroy(m));
}

static void statics(void) {
    static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                           checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                           adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    printf("\nstatic: ");
    SHOW(pthread_mutex_lock(&recursive));
    SHOW(pthread_mutex_lock(&recursive));
    SHOW(pthread_mutex_lock(&checked));
    SHOW(pthread_mutex_lock(&checked));
    SHOW(pthread_mutex_lock(&adaptive));
    SHOW(pthread_mutex_trylock(&adaptive));
    SHOW(pthread_mutex_consistent(&checked));
}

static void spins(void) {
    pthread_spinlock_t lock;
    printf("\nspin: ");
    SHOW(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
    SHOW(pthread_spin_trylock(&lock));
    SHOW(pthread_spin_trylock(&lock));
    SHOW(pthread_spin_unlock(&lock));
    SHOW(pthread_spin_lock(&lock));
    SHOW(pthread_spin_unlock(&lock));
    SHOW(pthread_spin_destroy(&lock));
}

int main(void) {
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_sec += 100;
    use("normal", PTHREAD_MUTEX_NORMAL, 0, 0);
    use("recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0);
    use("errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0);
    use("adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0);
    use("robust", PTHREAD_MUTEX_NORMAL, 1, 0);
    use("robust recursive", PTHREAD_MUTEX_RECURSIVE, 1, 0);
    use("robust errorcheck", PTHREAD_MUTEX_ERRORCHECK, 1, 0);
    use("inheriting", PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT);
    use("inheriting errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, PTHREAD_PRIO_INHERIT);
    use("inheriting recursive", PTHREAD_MUTEX_RECURSIVE, 0, PTHREAD_PRIO_INHERIT);
    statics();
    spins();
    return 0;
}
