/* Threads that mix shared numbers without locks: the result depends on every order of their accesses. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64

static unsigned cells[CELLS];
static long rounds;

static unsigned mix(unsigned a, unsigned b) {
    unsigned sum = a + b;
    if (sum & 1) sum ^= 0x9e3779b9u;
    return (sum << 5) ^ (sum >> 11) ^ a;
}

static void *work(void *argument) {
    unsigned at = (unsigned)(long)argument;
    for (long round = 0; round < rounds; round++) {
        unsigned other = cells[at % CELLS] % CELLS;
        cells[at % CELLS] = mix(cells[at % CELLS], cells[other]);
        if (cells[other] & 4) at += 3;
        else at += 5;
    }
    return 0;
}

int main(int argc, char **argv) {
    rounds = argc > 1 ? atol(argv[1]) : 40000000;
    pthread_t threads[2];
    for (int each = 0; each < CELLS; each++) cells[each] = each * 2654435761u;
    for (long each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void *)(each + 1));
    for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
    unsigned sum = 0;
    for (int each = 0; each < CELLS; each++) sum = mix(sum, cells[each]);
    printf("%u\n", sum);
}
