// expected: error
/* Double-checked initialisation that publishes the object before it fills it. */
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
            only = calloc(1, sizeof *only);
            only->ready = 1;
        }
        pthread_mutex_unlock(&m);
    }
    if (!only->ready)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
