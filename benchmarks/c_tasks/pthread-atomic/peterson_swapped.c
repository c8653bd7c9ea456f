// expected: error
/* The turn is given away before the thread says that it wants to enter. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int wants[2], turn, inside;
void *work(void *number) {
    int me = (int)(long)number;
    turn = 1 - me;
    wants[me] = 1;
    while (wants[1 - me] && turn == 1 - me)
        ;
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    wants[me] = 0;
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
