#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* What is accepted by functions that set attributes, and what those that get them give. */
#define SHOW(call) printf("%s=%d ", #call, call)
#define GIVEN(get, attributes)                    \
    do {                                          \
        int value = -1, result = get(attributes, &value); \
        printf("%s=%d:%d ", #get, result, value); \
    } while (0)
#define EACH(set, attributes, get)                          \
    for (int value = -1; value < 5; value++) {              \
        printf("%s(%d)=%d ", #set, value, set(attributes, value)); \
        GIVEN(get, attributes);                             \
    }

static void *quick(void *x) { return x; }

static void threads(void) {
    pthread_attr_t a;
    size_t size;
    void *place;
    struct sched_param priority = {0};
    SHOW(pthread_attr_init(&a));
    GIVEN(pthread_attr_getdetachstate, &a);
    GIVEN(pthread_attr_getscope, &a);
    GIVEN(pthread_attr_getinheritsched, &a);
    GIVEN(pthread_attr_getschedpolicy, &a);
    EACH(pthread_attr_setdetachstate, &a, pthread_attr_getdetachstate);
    EACH(pthread_attr_setscope, &a, pthread_attr_getscope);
    EACH(pthread_attr_setinheritsched, &a, pthread_attr_getinheritsched);
    EACH(pthread_attr_setschedpolicy, &a, pthread_attr_getschedpolicy);
    for (int policy = 0; policy < 3; policy++) {
        pthread_attr_setschedpolicy(&a, policy);
        for (int at = -1; at < 102; at += 25) {
            priority.sched_priority = at;
            int result = pthread_attr_setschedparam(&a, &priority);
            pthread_attr_getschedparam(&a, &priority);
            printf("%d/%d=%d:%d ", policy, at, result, priority.sched_priority);
        }
    }
    SHOW(pthread_attr_setstacksize(&a, 0));
    SHOW(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN - 1));
    SHOW(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN));
    SHOW(pthread_attr_getstacksize(&a, &size));
    printf("%zu ", size);
    SHOW(pthread_attr_setguardsize(&a, 100));
    SHOW(pthread_attr_getguardsize(&a, &size));
    printf("%zu ", size);
    static char stack[1 << 17];
    SHOW(pthread_attr_setstack(&a, stack, 100));
    SHOW(pthread_attr_setstack(&a, stack, sizeof stack));
    SHOW(pthread_attr_getstack(&a, &place, &size));
    printf("%d %zu ", place == (void *)stack, size);
    SHOW(pthread_attr_destroy(&a));
    pthread_attr_init(&a);
    pthread_attr_getguardsize(&a, &size);
    printf("%zu\n", size);
}

static void mutexes(void) {
    pthread_mutexattr_t a, b;
    pthread_mutex_t m;
    int old;
    SHOW(pthread_mutexattr_init(&a));
    GIVEN(pthread_mutexattr_gettype, &a);
    GIVEN(pthread_mutexattr_getrobust, &a);
    GIVEN(pthread_mutexattr_getpshared, &a);
    GIVEN(pthread_mutexattr_getprotocol, &a);
    GIVEN(pthread_mutexattr_getprioceiling, &a);
    EACH(pthread_mutexattr_settype, &a, pthread_mutexattr_gettype);
    EACH(pthread_mutexattr_setrobust, &a, pthread_mutexattr_getrobust);
    EACH(pthread_mutexattr_setpshared, &a, pthread_mutexattr_getpshared);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_STALLED);
    for (int ceiling = -1; ceiling < 102; ceiling += 20) {
        printf("%d=%d ", ceiling, pthread_mutexattr_setprioceiling(&a, ceiling));
        GIVEN(pthread_mutexattr_getprioceiling, &a);
    }
    b = a;
    SHOW(pthread_mutex_init(&m, &b));
    SHOW(pthread_mutex_lock(&m));
    SHOW(pthread_mutex_lock(&m));
    SHOW(pthread_mutex_getprioceiling(&m, &old));
    SHOW(pthread_mutex_setprioceiling(&m, 20, &old));
    EACH(pthread_mutexattr_setprotocol, &a, pthread_mutexattr_getprotocol);
    SHOW(pthread_mutexattr_destroy(&a));
    pthread_mutexattr_init(&a);
    GIVEN(pthread_mutexattr_gettype, &a);
    printf("\n");
}

static void others(void) {
    pthread_condattr_t c;
    pthread_rwlockattr_t l;
    pthread_barrierattr_t b;
    SHOW(pthread_condattr_init(&c));
    GIVEN(pthread_condattr_getpshared, &c);
    GIVEN(pthread_condattr_getclock, &c);
    EACH(pthread_condattr_setpshared, &c, pthread_condattr_getpshared);
    EACH(pthread_condattr_setclock, &c, pthread_condattr_getclock);
    SHOW(pthread_condattr_destroy(&c));
    SHOW(pthread_rwlockattr_init(&l));
    GIVEN(pthread_rwlockattr_getpshared, &l);
    GIVEN(pthread_rwlockattr_getkind_np, &l);
    EACH(pthread_rwlockattr_setpshared, &l, pthread_rwlockattr_getpshared);
    EACH(pthread_rwlockattr_setkind_np, &l, pthread_rwlockattr_getkind_np);
    SHOW(pthread_rwlockattr_destroy(&l));
    SHOW(pthread_barrierattr_init(&b));
    GIVEN(pthread_barrierattr_getpshared, &b);
    EACH(pthread_barrierattr_setpshared, &b, pthread_barrierattr_getpshared);
    SHOW(pthread_barrierattr_destroy(&b));
    printf("\n");
}

static void policies(void) {
    struct sched_param priority = {0};
    int policy = -1;
    for (int each = -1; each < 7; each++)
        printf("%d:%d:%d ", each, sched_get_priority_min(each), sched_get_priority_max(each));
    SHOW(pthread_getschedparam(pthread_self(), &policy, &priority));
    printf("%d %d ", policy, priority.sched_priority);
    SHOW(pthread_setschedparam(pthread_self(), SCHED_OTHER, &priority));
    priority.sched_priority = 7;
    SHOW(pthread_setschedparam(pthread_self(), SCHED_OTHER, &priority));
    SHOW(pthread_setschedparam(pthread_self(), 77, &priority));
    SHOW(pthread_setschedprio(pthread_self(), 0));
    SHOW(pthread_setschedprio(pthread_self(), 3));
    printf("\n");
}

int main(void) {
    pthread_attr_t a;
    pthread_t thread;
    void *result;
    threads();
    mutexes();
    others();
    policies();
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 1 << 20);
    SHOW(pthread_create(&thread, &a, quick, &a));
    SHOW(pthread_join(thread, &result));
    printf("%d\n", result == &a);
    return 0;
}
