// expected: error
/* An unknown request is served while stop() gives the buffer back: a check without the lock. */
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) { abort(); }

struct device { pthread_mutex_t lock; int open; int size; } dev = {PTHREAD_MUTEX_INITIALIZER, 1, 16};
int request;
void *serve(void *unused) {
    if (!dev.open)
        return 0;
    switch (request) {
    case 1:
        pthread_mutex_lock(&dev.lock);
        if (dev.size != 16)
            reach_error();
        pthread_mutex_unlock(&dev.lock);
        break;
    case 2:
        pthread_mutex_lock(&dev.lock);
        if (dev.open && dev.size != 16)
            reach_error();
        pthread_mutex_unlock(&dev.lock);
        break;
    default:
        break;
    }
    return 0;
}

void *stop(void *unused) {
    pthread_mutex_lock(&dev.lock);
    dev.open = 0;
    dev.size = 0;
    pthread_mutex_unlock(&dev.lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    request = __VERIFIER_nondet_int();
    pthread_create(&a, 0, serve, 0);
    pthread_create(&b, 0, stop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
