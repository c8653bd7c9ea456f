#include <pthread.h>
#include <stdio.h>

/* Barriers, and routines that are called once. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_barrier_t b;
static int results[3][4];
static pthread_once_t once = PTHREAD_ONCE_INIT, left = PTHREAD_ONCE_INIT;
static int calls;

static void *passes(void *x) {
    int *mine = x;
    for (int round = 0; round < 4; round++) mine[round] = pthread_barrier_wait(&b);
    return NULL;
}
static void routine(void) { calls++; }
static void leaves(void) {
    calls++;
    pthread_exit(NULL);
}
static void *calls_once(void *x) {
    SHOW(pthread_once(&left, leaves));
    return NULL;
}
static void *calls_last(void *x) {
    SHOW(pthread_once(&left, routine));
    return NULL;
}
static void alone(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    pthread_t threads[3];
    pthread_barrierattr_t a;
    SHOW(PTHREAD_BARRIER_SERIAL_THREAD);
    SHOW(pthread_barrier_init(&b, NULL, 0));
    SHOW(pthread_barrier_init(&b, NULL, (unsigned)-1));
    SHOW(pthread_barrier_init(&b, NULL, 0x80000000));
    SHOW(pthread_barrier_init(&b, NULL, 0x7fffffff));
    SHOW(pthread_barrier_init(&b, NULL, 0x7ffffffe));
    SHOW(pthread_barrier_destroy(&b));
    pthread_barrierattr_init(&a);
    pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    SHOW(pthread_barrier_init(&b, &a, 1));
    SHOW(pthread_barrier_wait(&b));
    SHOW(pthread_barrier_wait(&b));
    SHOW(pthread_barrier_destroy(&b));
    SHOW(pthread_barrier_init(&b, NULL, 3));
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, passes, results[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int round = 0; round < 4; round++) printf("%d ", results[0][round] + results[1][round] + results[2][round]);
    SHOW(pthread_barrier_destroy(&b));
    printf("\n");
    SHOW(pthread_once(&once, routine));
    SHOW(pthread_once(&once, routine));
    alone(calls_once);
    alone(calls_once);
    printf("%d ", calls);
    alone(calls_last);
    alone(calls_once);
    printf("%d\n", calls);
    return 0;
}
