// expected: correct
/* The object is filled before it is published. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct { int ready; } Thing;
Thing *only;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *use(void *unused) {
    if (!only) {
        pthread_mutex_lock(&m);
        if (!only) {
            Thing *made = calloc(1, sizeof *made);
            made->ready = 1;
            only = made;
        }
        pthread_mutex_unlock(&m);
    }
    if (!only->ready)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_create(&c, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
