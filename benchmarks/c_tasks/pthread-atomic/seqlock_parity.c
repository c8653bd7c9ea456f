// expected: error
/* The reader tests only that the number is even at its beginning. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int sequence, left, right;
void *write_both(void *unused) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, 1);
    atomic_store(&right, 1);
    atomic_fetch_add(&sequence, 1);
    return 0;
}

void *read_both(void *unused) {
    while (atomic_load(&sequence) & 1)
        ;
    int a = atomic_load(&left), b = atomic_load(&right);
    if (a != b)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, write_both, 0);
    pthread_create(&r, 0, read_both, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
