// expected: error
/* Popped nodes are used again at once: the top is the expected node, but its successor is another (ABA). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

typedef struct { int next; } Node;
Node nodes[3];
atomic_int top;
atomic_int taken[3];
static int pop(void) {
    while (1) {
        int seen = atomic_load(&top);
        if (seen < 0)
            return -1;
        int next = nodes[seen].next;
        if (atomic_compare_exchange_strong(&top, &seen, next))
            return seen;
    }
}

static void push(int node) {
    int seen = atomic_load(&top);
    do
        nodes[node].next = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static void own(int node) {
    if (atomic_fetch_add(&taken[node], 1) != 0)
        reach_error();
}

void *recycle(void *unused) {
    int a = pop();
    if (a < 0)
        return 0;
    own(a);
    int b = pop();
    if (b >= 0)
        own(b);
    atomic_fetch_sub(&taken[a], 1);
    push(a);
    return 0;
}

void *take_two(void *unused) {
    int a = pop();
    if (a >= 0)
        own(a);
    int b = pop();
    if (b >= 0)
        own(b);
    return 0;
}

int main(void) {
    pthread_t a, b;
    nodes[0].next = 1;
    nodes[1].next = 2;
    nodes[2].next = -1;
    pthread_create(&a, 0, recycle, 0);
    pthread_create(&b, 0, take_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
