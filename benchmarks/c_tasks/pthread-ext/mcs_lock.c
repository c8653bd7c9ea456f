// expected: correct
/* A queue of waiting threads, each of which is woken by the one before it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct Node { _Atomic(struct Node *) next; atomic_int waits; } Node;
_Atomic(Node *) tail;
int inside;
void *work(void *unused) {
    Node me;
    atomic_init(&me.next, 0);
    atomic_init(&me.waits, 1);
    Node *before = atomic_exchange(&tail, &me);
    if (before) {
        atomic_store(&before->next, &me);
        while (atomic_load(&me.waits))
            ;
    }
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    Node *expected = &me;
    if (!atomic_compare_exchange_strong(&tail, &expected, (Node *)0)) {
        while (!atomic_load(&me.next))
            ;
        atomic_store(&atomic_load(&me.next)->waits, 0);
    }
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int k = 0; k < 2; k++)
        pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], 0);
    return 0;
}
