#include <errno.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

/* The results of threads.h, which has its own. */
#define SHOW(call) printf("%s=%d ", #call, call)

static mtx_t m, timed, recursive;
static cnd_t c;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int calls, ends;
static const struct timespec past = {1, 0}, bad = {0, 1000000000};

static int alone(int (*function)(void *)) {
    thrd_t thread;
    int result = -1;
    thrd_create(&thread, function, NULL);
    thrd_join(thread, &result);
    return result;
}
static int tries(void *x) {
    SHOW(mtx_trylock(&m));
    SHOW(mtx_trylock(&timed));
    SHOW(mtx_timedlock(&timed, &past));
    SHOW(mtx_timedlock(&timed, &bad));
    SHOW(mtx_trylock(&recursive));
    SHOW(mtx_unlock(&recursive));
    return -5;
}
static int leaves(void *x) {
    tss_set(key, x ? x : &calls);
    thrd_exit(300);
}
static int detaches(void *x) {
    SHOW(thrd_detach(thrd_current()));
    return 1;
}
static void counts(void) { calls++; }
static void end(void *value) {
    if (++ends < 3) tss_set(key, value);
}

int main(void) {
    thrd_t thread;
    int result = -1;
    SHOW(thrd_success);
    SHOW(thrd_busy);
    SHOW(thrd_error);
    SHOW(thrd_nomem);
    SHOW(thrd_timedout);
    SHOW(mtx_init(&m, mtx_plain));
    SHOW(mtx_init(&timed, mtx_timed));
    SHOW(mtx_init(&recursive, mtx_timed | mtx_recursive));
    SHOW(mtx_lock(&m));
    SHOW(mtx_trylock(&m));
    SHOW(mtx_timedlock(&timed, &bad));
    SHOW(mtx_timedlock(&timed, &past));
    for (int i = 0; i < 2; i++) SHOW(mtx_lock(&recursive));
    SHOW(alone(tries));
    for (int i = 0; i < 3; i++) SHOW(mtx_unlock(&recursive));
    printf("\n");
    SHOW(cnd_init(&c));
    SHOW(cnd_signal(&c));
    SHOW(cnd_broadcast(&c));
    SHOW(cnd_timedwait(&c, &m, &past));
    SHOW(cnd_timedwait(&c, &m, &bad));
    SHOW(cnd_wait(&c, &recursive));
    SHOW(mtx_unlock(&m));
    SHOW(mtx_unlock(&timed));
    cnd_destroy(&c);
    mtx_destroy(&m);
    mtx_destroy(&timed);
    mtx_destroy(&recursive);
    printf("\n");
    SHOW(TSS_DTOR_ITERATIONS);
    SHOW(tss_create(&key, end));
    SHOW(tss_get(key) == NULL);
    SHOW(tss_set(key, &key));
    SHOW(tss_get(key) == &key);
    SHOW(tss_set(77777, &key));
    SHOW(alone(leaves));
    SHOW(ends);
    tss_delete(key);
    for (int i = 0; i < 3; i++) call_once(&flag, counts);
    SHOW(calls);
    printf("\n");
    SHOW(thrd_join(thrd_current(), NULL));
    SHOW(thrd_equal(thrd_current(), thrd_current()) != 0);
    thrd_create(&thread, detaches, NULL);
    thrd_yield();
    thrd_sleep(&(struct timespec){0, 100000000}, NULL);
    printf("\n");
    return 0;
}
