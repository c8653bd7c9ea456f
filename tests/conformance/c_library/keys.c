#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

/* Thread-specific data: how many keys there are, and the order and the rounds of their destructors. */
#define SHOW(call) printf("%s=%d ", #call, call)

static pthread_key_t first, second, third, plain, many[PTHREAD_KEYS_MAX];
static int rounds;

static void again(void *value) {
    printf("again%d ", (int)(intptr_t)value);
    rounds++;
    pthread_setspecific(first, (void *)((intptr_t)value + 1));
}
static void sets_earlier(void *value) {
    printf("earlier:%d ", pthread_getspecific(second) == NULL);
    if ((intptr_t)value == 1) pthread_setspecific(plain, (void *)5);
}
static void sets_later(void *value) {
    printf("later:%d:%d ", (int)(intptr_t)value, (int)(intptr_t)pthread_getspecific(plain));
    if (pthread_getspecific(plain)) pthread_setspecific(plain, NULL);
}
static void only(void *value) { printf("only%d ", (int)(intptr_t)value); }

static void *work(void *x) {
    pthread_setspecific(first, (void *)1);
    pthread_setspecific(second, (void *)1);
    pthread_setspecific(third, (void *)3);
    return NULL;
}
static void *deletes(void *x) {
    pthread_key_t own;
    pthread_key_create(&own, only);
    pthread_setspecific(own, (void *)9);
    SHOW(pthread_key_delete(own));
    return NULL;
}
static void *leaves(void *x) {
    pthread_setspecific(third, (void *)4);
    pthread_exit(NULL);
}
static void alone(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
    printf("\n");
}

int main(void) {
    int made = 0, result;
    SHOW(pthread_key_create(&first, again));
    SHOW(pthread_key_create(&second, sets_earlier));
    SHOW(pthread_key_create(&third, sets_later));
    SHOW(pthread_key_create(&plain, NULL));
    SHOW(pthread_getspecific(first) == NULL);
    SHOW(pthread_setspecific(plain, &made));
    SHOW(pthread_getspecific(plain) == &made);
    SHOW(pthread_setspecific(plain, NULL));
    SHOW(pthread_setspecific(PTHREAD_KEYS_MAX, &made));
    SHOW(pthread_setspecific((pthread_key_t)-1, &made));
    SHOW(pthread_getspecific(PTHREAD_KEYS_MAX) == NULL);
    SHOW(pthread_key_delete(PTHREAD_KEYS_MAX));
    SHOW(PTHREAD_DESTRUCTOR_ITERATIONS);
    printf("\n");
    alone(work);
    printf("%d\n", rounds);
    alone(deletes);
    alone(leaves);
    while ((result = pthread_key_create(&many[made], NULL)) == 0) made++;
    printf("%d %d ", made > 1000, result);
    SHOW(pthread_key_delete(many[7]));
    SHOW(pthread_key_create(&many[7], NULL));
    SHOW(pthread_key_create(&plain, NULL));
    SHOW(pthread_getspecific(many[7]) == NULL);
    printf("\n");
    return 0;
}
