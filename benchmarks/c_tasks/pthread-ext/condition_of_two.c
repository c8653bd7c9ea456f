// expected: error
/* A thread that waits by `if` believes its condition after it wakes, which another thread has changed again. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items;
void *take(void *unused) {
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&c, &m);
    items--;
    if (items < 0)
        reach_error();
    pthread_mutex_unlock(&m);
    return 0;
}

void *give(void *unused) {
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b, d;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_create(&d, 0, give, 0);
    pthread_join(d, 0);
    return 0;
}
