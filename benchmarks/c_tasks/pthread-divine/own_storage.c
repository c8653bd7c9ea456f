// expected: correct
/* Each thread has its own value under one key, and its own thread-local counter. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

pthread_key_t key;
_Thread_local int steps;
void *work(void *value) {
    pthread_setspecific(key, value);
    for (int k = 0; k < 3; k++)
        steps++;
    if (pthread_getspecific(key) != value || steps != 3)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t t[3];
    int mine[3];
    pthread_key_create(&key, 0);
    for (int k = 0; k < 3; k++)
        pthread_create(&t[k], 0, work, &mine[k]);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    if (pthread_getspecific(key) || steps)
        reach_error();
    return 0;
}
