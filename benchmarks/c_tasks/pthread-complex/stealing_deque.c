// expected: correct
/* The owner takes tasks from the bottom, a thief steals from the top; the last task is disputed by compare and swap. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int top, bottom;
atomic_int done[3];
static void perform(int task) {
    if (atomic_fetch_add(&done[task], 1) != 0)
        reach_error();
}

static void take(void) {
    int at = atomic_load(&bottom) - 1;
    atomic_store(&bottom, at);
    int first = atomic_load(&top);
    if (first > at) {
        atomic_store(&bottom, first);
        return;
    }
    if (first < at) {
        perform(at);
        return;
    }
    if (atomic_compare_exchange_strong(&top, &first, first + 1))
        perform(at);
    atomic_store(&bottom, at + 1);
}

void *steal(void *unused) {
    int first = atomic_load(&top);
    if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
        perform(first);
    return 0;
}

int main(void) {
    pthread_t a, b;
    atomic_store(&bottom, 3);
    pthread_create(&a, 0, steal, 0);
    pthread_create(&b, 0, steal, 0);
    take();
    take();
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
