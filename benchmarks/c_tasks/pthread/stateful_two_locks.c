// expected: error
/* Data of two locks are changed in two phases, and the other thread comes between. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
int first = 10, second = 10;
void *raise_both(void *unused) {
    pthread_mutex_lock(&ma);
    first++;
    pthread_mutex_unlock(&ma);
    pthread_mutex_lock(&mb);
    second = first + 1;
    pthread_mutex_unlock(&mb);
    return 0;
}

void *lower_both(void *unused) {
    pthread_mutex_lock(&ma);
    first += 5;
    pthread_mutex_unlock(&ma);
    pthread_mutex_lock(&mb);
    second -= 6;
    pthread_mutex_unlock(&mb);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, raise_both, 0);
    pthread_create(&b, 0, lower_both, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (first == 16 && second == 11)
        reach_error();
    return 0;
}
