// expected: correct
/* A queue of spin locks: each thread waits for the flag of the one before it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct { atomic_int busy; } Node;
Node nodes[4];
_Atomic(Node *) tail = &nodes[3];
int inside;
void *work(void *number) {
    Node *mine = &nodes[(long)number];
    atomic_store(&mine->busy, 1);
    Node *before = atomic_exchange(&tail, mine);
    while (atomic_load(&before->busy))
        ;
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    atomic_store(&mine->busy, 0);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long k = 0; k < 3; k++)
        pthread_create(&t[k], 0, work, (void *)k);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    return 0;
}
