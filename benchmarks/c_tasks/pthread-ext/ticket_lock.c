// expected: correct
/* Tickets: one atomic increment, then a spin loop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

atomic_int next_ticket, serving;
int inside;
void *work(void *unused) {
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        ;
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    atomic_fetch_add(&serving, 1);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (int k = 0; k < 3; k++)
        pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    return 0;
}
