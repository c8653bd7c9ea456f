// expected: correct
/* Two threads take turns by a pair of semaphores. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

sem_t ping, pong;
int ball;
void *odd(void *unused) {
    for (int k = 0; k < 3; k++) {
        sem_wait(&ping);
        if (ball != 2 * k)
            reach_error();
        ball++;
        sem_post(&pong);
    }
    return 0;
}

void *even(void *unused) {
    for (int k = 0; k < 3; k++) {
        sem_wait(&pong);
        if (ball != 2 * k + 1)
            reach_error();
        ball++;
        sem_post(&ping);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&a, 0, odd, 0);
    pthread_create(&b, 0, even, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
