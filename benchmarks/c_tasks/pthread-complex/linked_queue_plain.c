// expected: error
/* The node is linked by a plain store: one of two nodes is lost. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct Node { int value; _Atomic(struct Node *) next; } Node;
Node first, nodes[2];
_Atomic(Node *) tail = &first;
void *put(void *number) {
    Node *node = &nodes[(long)number];
    node->value = 1;
    Node *last = atomic_load(&tail);
    atomic_store(&last->next, node);
    atomic_store(&tail, node);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, (void *)0);
    pthread_create(&b, 0, put, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int count = 0;
    for (Node *each = atomic_load(&first.next); each; each = atomic_load(&each->next))
        count += each->value;
    if (count != 2)
        reach_error();
    return 0;
}
