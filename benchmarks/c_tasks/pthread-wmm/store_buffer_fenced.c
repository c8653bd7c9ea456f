// expected: correct; memory model: tso
/* A full fence between store and load. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int x, y, a, b;
void *left(void *unused) { x = 1; atomic_thread_fence(memory_order_seq_cst); a = y; return 0; }
void *right(void *unused) { y = 1; atomic_thread_fence(memory_order_seq_cst); b = x; return 0; }

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    if (!a && !b)
        reach_error();
    return 0;
}
