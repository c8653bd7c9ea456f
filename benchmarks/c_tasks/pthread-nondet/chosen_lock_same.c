// expected: correct
/* One input decides the lock of both threads. */
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) { abort(); }

pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int count;
void *work(void *lock) {
    pthread_mutex_lock(lock);
    int seen = count;
    count = seen + 1;
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    int chosen = __VERIFIER_nondet_int() > 5;
    pthread_create(&a, 0, work, &locks[chosen]);
    pthread_create(&b, 0, work, &locks[chosen]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (count != 2)
        reach_error();
    return 0;
}
