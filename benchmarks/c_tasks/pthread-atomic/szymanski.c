// expected: correct
/* Szymanski's algorithm for two threads, with the five states of its waiting room. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int flag[2], inside;
void *work(void *number) {
    int me = (int)(long)number, other = 1 - me;
    flag[me] = 1;
    while (flag[other] >= 3)
        ;
    flag[me] = 3;
    if (flag[other] == 1) {
        flag[me] = 2;
        while (flag[other] != 4)
            ;
    }
    flag[me] = 4;
    if (me == 1)
        while (flag[0] >= 2)
            ;
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    if (me == 0)
        while (2 <= flag[1] && flag[1] <= 3)
            ;
    flag[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
