// expected: correct
/* A thread copies unknown numbers, another one keeps the greatest that it has seen; it is not below any copied before. */
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) { abort(); }

#define N 3
int from[N], to[N], done;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *copy(void *unused) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&m);
        to[k] = from[k];
        done = k + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *compare(void *unused) {
    pthread_mutex_lock(&m);
    for (int k = 0; k < done; k++)
        if (to[k] != from[k])
            reach_error();
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (int k = 0; k < N; k++)
        from[k] = __VERIFIER_nondet_int();
    pthread_create(&a, 0, copy, 0);
    pthread_create(&b, 0, compare, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
