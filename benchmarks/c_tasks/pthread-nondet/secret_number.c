// expected: error
/* The error needs one value of an input, and one order. */
#include <pthread.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

void reach_error(void) { abort(); }

unsigned key, stage;
void *first(void *unused) {
    if (key * 3 + 7 == 1000003u)
        stage = 1;
    return 0;
}

void *second(void *unused) {
    if (stage == 1)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t a, b;
    key = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
