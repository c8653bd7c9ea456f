// expected: error
/* The bakery without its doorway: a number is chosen while the other one looks. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int number[2], inside;
void *work(void *which) {
    int me = (int)(long)which, other = 1 - me;
    number[me] = number[other] + 1;
    while (1) {
        int its = number[other];
        if (!its || number[me] < its || (number[me] == its && me < other))
            break;
    }
    inside++;
    if (inside != 1)
        reach_error();
    inside--;
    number[me] = 0;
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
