#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Joining, detaching and naming threads, and cancelling them. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_t main_thread;
static sem_t go, done, stays;
static const struct timespec past = {1, 0};

static void *returns(void *x) { return x; }
static void *waits(void *x) {
    sem_wait(&go);
    return x;
}
static void *tells(void *x) {
    SHOW(pthread_detach(pthread_self()));
    SHOW(pthread_detach(pthread_self()));
    SHOW(pthread_join(pthread_self(), NULL));
    SHOW(pthread_equal(pthread_self(), main_thread));
    sem_post(&done);
    return NULL;
}
static void *leaves(void *x) { pthread_exit((void *)17); }
static void *cancels_itself(void *x) {
    int before = -1;
    SHOW(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before));
    printf("%d ", before);
    SHOW(pthread_setcancelstate(77, &before));
    SHOW(pthread_setcanceltype(77, &before));
    SHOW(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before));
    printf("%d ", before);
    SHOW(pthread_cancel(pthread_self()));
    pthread_testcancel();
    printf("still ");
    SHOW(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
    pthread_testcancel();
    printf("never ");
    return NULL;
}
static void cleans(void *text) { printf("%s ", (char *)text); }
static void *cleans_up(void *x) {
    pthread_cleanup_push(cleans, "first");
    pthread_cleanup_push(cleans, "second");
    pthread_cleanup_push(cleans, "third");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(cleans, "fourth");
    pthread_cleanup_pop(1);
    sem_post(&done);
    sem_wait(&stays);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t a;
    void *result;
    char name[32];
    main_thread = pthread_self();
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    sem_init(&stays, 0, 0);
    SHOW(pthread_join(pthread_self(), NULL));
    SHOW(pthread_create(&thread, NULL, returns, &go));
    SHOW(pthread_join(thread, &result));
    SHOW(result == &go);
    SHOW(pthread_create(&thread, NULL, leaves, NULL));
    SHOW(pthread_join(thread, &result));
    SHOW((int)(intptr_t)result);
    printf("\n");
    SHOW(pthread_create(&thread, NULL, waits, &done));
    SHOW(pthread_tryjoin_np(thread, &result));
    SHOW(pthread_timedjoin_np(thread, &result, &past));
    SHOW(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past));
    SHOW(pthread_tryjoin_np(pthread_self(), NULL));
    SHOW(pthread_setname_np(thread, "fifteen letters"));
    SHOW(pthread_getname_np(thread, name, sizeof name));
    printf("%s ", name);
    SHOW(pthread_setname_np(thread, "sixteen  letters"));
    SHOW(pthread_getname_np(thread, name, 5));
    SHOW(pthread_getname_np(thread, name, 16));
    SHOW(pthread_equal(thread, thread) != 0);
    SHOW(pthread_equal(thread, pthread_self()));
    sem_post(&go);
    SHOW(pthread_timedjoin_np(thread, &result, NULL));
    SHOW(result == &done);
    printf("\n");
    pthread_create(&thread, NULL, tells, NULL);
    sem_wait(&done);
    printf("\n");
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    SHOW(pthread_create(&thread, &a, waits, NULL));
    SHOW(pthread_detach(thread));
    sem_post(&go);
    printf("\n");
    pthread_create(&thread, NULL, cancels_itself, NULL);
    SHOW(pthread_join(thread, &result));
    SHOW(result == PTHREAD_CANCELED);
    printf("\n");
    pthread_create(&thread, NULL, cleans_up, NULL);
    sem_wait(&done);
    pthread_cancel(thread);
    SHOW(pthread_join(thread, &result));
    SHOW(result == PTHREAD_CANCELED);
    printf("\n");
    return 0;
}
