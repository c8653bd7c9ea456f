// expected: error
/* The ticket is read and incremented in two steps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int next_ticket, serving;
atomic_int inside;
void *work(void *unused) {
    int mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
    while (atomic_load(&serving) < mine)
        ;
    if (atomic_fetch_add(&inside, 1) != 0)
        reach_error();
    atomic_fetch_sub(&inside, 1);
    atomic_fetch_add(&serving, 1);
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int k = 0; k < 2; k++)
        pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], 0);
    return 0;
}
