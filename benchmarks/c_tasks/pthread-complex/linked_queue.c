// expected: correct
/* A queue of Michael and Scott: two threads add a node each, the third takes one if it finds any. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct Node { int value; _Atomic(struct Node *) next; } Node;
Node first;
_Atomic(Node *) head = &first, tail = &first;
static void add(int value) {
    Node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, 0);
    while (1) {
        Node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int take(void) {
    while (1) {
        Node *begin = atomic_load(&head), *end = atomic_load(&tail), *next = atomic_load(&begin->next);
        if (!next)
            return 0;
        if (begin == end) {
            atomic_compare_exchange_strong(&tail, &end, next);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong(&head, &begin, next))
            return value;
    }
}

void *put(void *number) { add((int)(long)number); return 0; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, (void *)1);
    pthread_create(&b, 0, put, (void *)2);
    int got = take();
    pthread_join(a, 0);
    pthread_join(b, 0);
    int rest = take(), last = take();
    if (got + rest + last != 3)
        reach_error();
    return 0;
}
