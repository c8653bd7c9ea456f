// expected: error
/* The owner takes the last task without asking whether a thief has it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int top, bottom;
atomic_int done[2];
static void perform(int task) {
    if (atomic_fetch_add(&done[task], 1) != 0)
        reach_error();
}

static void take(void) {
    int at = atomic_load(&bottom) - 1;
    if (atomic_load(&top) > at)
        return;
    atomic_store(&bottom, at);
    perform(at);
}

void *steal(void *unused) {
    int first = atomic_load(&top);
    if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
        perform(first);
    return 0;
}

int main(void) {
    pthread_t a;
    atomic_store(&bottom, 2);
    pthread_create(&a, 0, steal, 0);
    take();
    take();
    pthread_join(a, 0);
    return 0;
}
