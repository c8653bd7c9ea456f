// expected: correct
/* A reader repeats until it has seen an even and unchanged number before and after its reads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int sequence, left, right;
void *write_both(void *unused) {
    for (int k = 1; k <= 2; k++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, k);
        atomic_store(&right, k);
        atomic_fetch_add(&sequence, 1);
    }
    return 0;
}

void *read_both(void *unused) {
    int before, a, b;
    do {
        while ((before = atomic_load(&sequence)) & 1)
            ;
        a = atomic_load(&left);
        b = atomic_load(&right);
    } while (atomic_load(&sequence) != before);
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
