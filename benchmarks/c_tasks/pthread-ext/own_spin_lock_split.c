// expected: error
/* The test and the write of the lock are two steps. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int taken, inside;
void acquire(void) {
    while (taken)
        ;
    taken = 1;
}

void *serve(void *unused) {
    while (1) {
        acquire();
        inside++;
        if (inside != 1)
            reach_error();
        inside--;
        taken = 0;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, serve, 0);
    pthread_create(&b, 0, serve, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
