// expected: correct
/* A barrier of a counter and a condition: no thread leaves before all have come. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define N 3
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int arrived, before;
void *work(void *unused) {
    __atomic_fetch_add(&before, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&m);
    if (++arrived == N)
        pthread_cond_broadcast(&c);
    while (arrived < N)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    if (__atomic_load_n(&before, __ATOMIC_SEQ_CST) != N)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++)
        pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], 0);
    return 0;
}
