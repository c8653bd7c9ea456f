// expected: livelock
/* One thread counts without an end modulo four, the other holds back its copy: the copy is never out of the range. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int now, copy;
void *tick(void *unused) {
    while (1)
        now = (now + 1) % 4;
    return 0;
}

void *copy_it(void *unused) {
    while (1) {
        copy = now;
        if (copy < 0 || copy > 3)
            reach_error();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, tick, 0);
    pthread_create(&b, 0, copy_it, 0);
    pthread_join(a, 0);
    return 0;
}
