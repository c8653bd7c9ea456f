// expected: correct
/* Three threads push onto a stack by compare and swap, and main finds both nodes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct Node { int value; struct Node *next; } Node;
_Atomic(Node *) top;
static void push(int value) {
    Node *node = malloc(sizeof *node);
    node->value = value;
    Node *seen = atomic_load(&top);
    do
        node->next = seen;
    while (!atomic_compare_exchange_weak(&top, &seen, node));
}

void *work(void *number) { push((int)(long)number); return 0; }

int main(void) {
    pthread_t t[3];
    for (long k = 0; k < 3; k++)
        pthread_create(&t[k], 0, work, (void *)(k + 1));
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    int sum = 0;
    for (Node *each = atomic_load(&top), *next; each; each = next) {
        next = each->next;
        sum += each->value;
        free(each);
    }
    if (sum != 6)
        reach_error();
    return 0;
}
