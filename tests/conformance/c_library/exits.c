#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The main thread leaves by pthread_exit after all others have ended: it is the last one, and calls exit. */
static pthread_key_t key;

static void forget(void *value) { printf("key %s\n", (char *)value); }
static void again(void) { printf("again, with a value: %d\n", pthread_getspecific(key) != NULL); }
static void adds(void) {
    printf("adds\n");
    atexit(again);
}
static void ends(void) {
    printf("ends\n");
    exit(0);
}
static void told(int status, void *text) { printf("%s %d\n", (char *)text, status); }
static void quick(void) { printf("never\n"); }

__attribute__((constructor)) static void first(void) { printf("first\n"); }
__attribute__((constructor)) static void second(void) { printf("second\n"); }
__attribute__((constructor(200))) static void earlier(void) { printf("200\n"); }
__attribute__((constructor(300))) static void later(void) { printf("300\n"); }
__attribute__((destructor)) static void one(void) { printf("one\n"); }
__attribute__((destructor)) static void two(void) { printf("two\n"); }
__attribute__((destructor(200))) static void last(void) { printf("last\n"); }
__attribute__((destructor(300))) static void nearly_last(void) { printf("nearly last\n"); }

static void *work(void *text) {
    pthread_setspecific(key, text);
    atexit(adds);
    return NULL;
}

int main(void) {
    pthread_t thread;
    printf("%d ", pthread_key_create(&key, forget));
    printf("%d %d %d\n", atexit(again), on_exit(told, "told"), at_quick_exit(quick));
    pthread_setspecific(key, "of main");
    pthread_create(&thread, NULL, work, "of the thread");
    pthread_join(thread, NULL);
    atexit(ends);
    pthread_exit(NULL);
}
