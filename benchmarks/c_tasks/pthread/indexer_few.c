// expected: correct
/* Threads put messages into a hash table by compare and swap; of these few threads no two use the same cell. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define SIZE 64
#define MOST 2
#define THREADS 4
int table[SIZE];
pthread_mutex_t locks[SIZE];
static int swap(int at, int expected, int value) {
    int done = 0;
    pthread_mutex_lock(&locks[at]);
    if (table[at] == expected) {
        table[at] = value;
        done = 1;
    }
    pthread_mutex_unlock(&locks[at]);
    return done;
}

void *work(void *number) {
    int me = (int)(long)number, collisions = 0;
    for (int k = 0; k < MOST; k++) {
        int message = (k + 1) * 11 + me, at = (message * 7) % SIZE;
        while (!swap(at, 0, message)) {
            at = (at + 1) % SIZE;
            collisions++;
        }
    }
    if (collisions)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int k = 0; k < SIZE; k++)
        pthread_mutex_init(&locks[k], 0);
    for (long k = 0; k < THREADS; k++)
        pthread_create(&t[k], 0, work, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], 0);
    return 0;
}
