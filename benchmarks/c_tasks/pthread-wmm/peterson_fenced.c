// expected: correct; memory model: pso
/* Peterson's algorithm with sequentially consistent accesses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int wants[2], turn, inside;
void *work(void *number) {
    int me = (int)(long)number;
    atomic_store(&wants[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        ;
    if (atomic_fetch_add(&inside, 1) != 0)
        reach_error();
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[me], 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
