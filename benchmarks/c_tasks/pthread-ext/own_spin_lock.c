// expected: correct
/* A lock by an atomic test, taken for ever by two servers. */
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

void reach_error(void) { abort(); }

int taken, inside;
void __VERIFIER_atomic_acquire(void) {
    __VERIFIER_assume(taken == 0);
    taken = 1;
}

void __VERIFIER_atomic_release(void) { taken = 0; }
void *serve(void *unused) {
    while (1) {
        __VERIFIER_atomic_acquire();
        inside++;
        if (inside != 1)
            reach_error();
        inside--;
        __VERIFIER_atomic_release();
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
