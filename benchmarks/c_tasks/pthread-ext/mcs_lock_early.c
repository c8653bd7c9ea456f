// expected: error
/* The thread that leaves resets the tail by a plain store: one that came meanwhile is lost, and a third gets in. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct Node { _Atomic(struct Node *) next; atomic_int waits; } Node;
_Atomic(Node *) tail;
atomic_int inside;
Node nodes[3];
void *work(void *number) {
    Node *me = &nodes[(long)number];
    atomic_store(&me->waits, 1);
    Node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        while (atomic_load(&me->waits))
            ;
    }
    if (atomic_fetch_add(&inside, 1) != 0)
        reach_error();
    atomic_fetch_sub(&inside, 1);
    atomic_store(&tail, (Node *)0);
    if (atomic_load(&me->next))
        atomic_store(&atomic_load(&me->next)->waits, 0);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long k = 0; k < 3; k++)
        pthread_create(&t[k], 0, work, (void *)k);
    return 0;
}
