// expected: correct
/* Dekker's algorithm. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int wants[2], turn, inside;
void *work(void *number) {
    int me = (int)(long)number, other = 1 - me;
    wants[me] = 1;
    while (wants[other]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me)
                ;
            wants[me] = 1;
        }
    }
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    turn = other;
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
