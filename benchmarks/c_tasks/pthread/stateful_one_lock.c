// expected: correct
/* Both are changed under one lock: one of two results. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int first = 10, second = 10;
void *raise_both(void *unused) {
    pthread_mutex_lock(&m);
    first++;
    second = first + 1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *lower_both(void *unused) {
    pthread_mutex_lock(&m);
    first += 5;
    second -= 6;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, raise_both, 0);
    pthread_create(&b, 0, lower_both, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (first != 16 || (second != 6 && second != 17))
        reach_error();
    return 0;
}
