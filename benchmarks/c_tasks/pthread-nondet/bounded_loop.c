// expected: correct
/* Each thread adds a small unknown number of times under the lock. */
#include <pthread.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

void reach_error(void) { abort(); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned count, most;
void *work(void *times) {
    for (unsigned k = 0; k < *(unsigned *)times; k++) {
        pthread_mutex_lock(&m);
        count++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    unsigned one = __VERIFIER_nondet_uint(), two = __VERIFIER_nondet_uint();
    __VERIFIER_assume(one < 3);
    __VERIFIER_assume(two < 3);
    pthread_create(&a, 0, work, &one);
    pthread_create(&b, 0, work, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (count != one + two)
        reach_error();
    return 0;
}
