// expected: error
/* Stopping waits for users of a device, whose count a user raises after it has looked at the flag: the known error of
 * a Bluetooth driver. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int stopping, stopped, users = 1;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void leave(void) {
    pthread_mutex_lock(&m);
    int left = --users;
    pthread_mutex_unlock(&m);
    if (left == 0)
        stopped = 1;
}

void *use(void *unused) {
    if (stopping)
        return 0;
    pthread_mutex_lock(&m);
    users++;
    pthread_mutex_unlock(&m);
    if (stopped)
        reach_error();
    leave();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, use, 0);
    stopping = 1;
    leave();
    pthread_join(t, 0);
    return 0;
}
