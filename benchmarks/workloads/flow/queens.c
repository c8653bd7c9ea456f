/* Counts the ways to put queens on a board; threads take the places of the first two from a shared counter. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int size;
static atomic_int next;

static long place(int row, unsigned columns, unsigned left, unsigned right) {
    if (row == size) return 1;
    long count = 0;
    unsigned free = ~(columns | left | right) & ((1u << size) - 1);
    while (free) {
        unsigned one = free & -free;
        free ^= one;
        count += place(row + 1, columns | one, (left | one) << 1, (right | one) >> 1);
    }
    return count;
}

static void *work(void *unused) {
    long count = 0;
    (void)unused;
    for (int each; (each = atomic_fetch_add(&next, 1)) < size * size;) {
        unsigned a = 1u << each / size, b = 1u << each % size;
        if (b & (a | a << 1 | a >> 1)) continue;
        count += place(2, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
    }
    return (void *)count;
}

int main(int argc, char **argv) {
    size = argc > 1 ? atoi(argv[1]) : 14;
    pthread_t threads[2];
    long count = 0;
    for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, 0);
    for (int each = 0; each < 2; each++) {
        void *own;
        pthread_join(threads[each], &own);
        count += (long)own;
    }
    printf("%ld\n", count);
}
