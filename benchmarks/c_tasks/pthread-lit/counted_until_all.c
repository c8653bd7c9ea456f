// expected: correct
/* Threads count themselves atomically; main sees the whole count only after all have. */
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

void reach_error(void) { abort(); }

int count;
void *work(void *unused) {
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t[4];
    for (int k = 0; k < 4; k++)
        pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 4; k++)
        pthread_join(t[k], 0);
    if (count != 4)
        reach_error();
    return 0;
}
