// expected: correct
/* The setters of reorder_unlocked, with a mutex. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *set(void *unused) {
    pthread_mutex_lock(&m);
    a = 1;
    b = -1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *check(void *unused) {
    pthread_mutex_lock(&m);
    if (!((a == 0 && b == 0) || (a == 1 && b == -1)))
        reach_error();
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t s[3], c;
    for (int k = 0; k < 3; k++)
        pthread_create(&s[k], 0, set, 0);
    pthread_create(&c, 0, check, 0);
    for (int k = 0; k < 3; k++)
        pthread_join(s[k], 0);
    pthread_join(c, 0);
    return 0;
}
