// expected: error
/* Two writers of the ring buffer: both fill the same cell. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define ROOM 4
int cells[ROOM];
volatile unsigned written;
void *produce(void *number) {
    cells[written % ROOM] = (int)(long)number;
    written++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, (void *)1);
    pthread_create(&b, 0, produce, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (cells[0] + cells[1] != 3)
        reach_error();
    return 0;
}
