// expected: correct
/* Producers reserve a cell under a lock and fill it outside; the consumer looks below the mark that they raise last. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define N 3
int cells[N], reserved, filled;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *produce(void *unused) {
    pthread_mutex_lock(&m);
    int mine = reserved++;
    pthread_mutex_unlock(&m);
    cells[mine] = 1;
    while (filled != mine)
        ;
    filled = mine + 1;
    return 0;
}

void *consume(void *unused) {
    int below = filled;
    for (int k = 0; k < below; k++)
        if (!cells[k])
            reach_error();
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, produce, 0);
    pthread_create(&c, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
