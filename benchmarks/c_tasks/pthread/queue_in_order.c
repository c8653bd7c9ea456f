// expected: correct
/* A queue with a lock and two conditions hands over all numbers in their order. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define ROOM 2
#define COUNT 4
int cells[ROOM], used, head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, freed = PTHREAD_COND_INITIALIZER;
void *produce(void *unused) {
    for (int k = 1; k <= COUNT; k++) {
        pthread_mutex_lock(&m);
        while (used == ROOM)
            pthread_cond_wait(&freed, &m);
        cells[(head + used++) % ROOM] = k;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *consume(void *unused) {
    for (int k = 1; k <= COUNT; k++) {
        pthread_mutex_lock(&m);
        while (used == 0)
            pthread_cond_wait(&filled, &m);
        int got = cells[head];
        head = (head + 1) % ROOM;
        used--;
        pthread_cond_signal(&freed);
        pthread_mutex_unlock(&m);
        if (got != k)
            reach_error();
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
