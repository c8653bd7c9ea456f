// expected: correct
/* A ring buffer without a lock: one writer, one reader, each spins. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define ROOM 2
#define COUNT 4
int cells[ROOM];
volatile unsigned written, taken;
void *produce(void *unused) {
    for (int k = 1; k <= COUNT; k++) {
        while (written - taken == ROOM)
            ;
        cells[written % ROOM] = k;
        written++;
    }
    return 0;
}

void *consume(void *unused) {
    for (int k = 1; k <= COUNT; k++) {
        while (written == taken)
            ;
        if (cells[taken % ROOM] != k)
            reach_error();
        taken++;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
