// expected: correct
/* Each request looks at the device under its lock. */
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) { abort(); }

struct device { pthread_mutex_t lock; int open; int size; } dev = {PTHREAD_MUTEX_INITIALIZER, 1, 16};
int request;
void *serve(void *unused) {
    pthread_mutex_lock(&dev.lock);
    if (dev.open) {
        switch (request) {
        case 1:
            dev.size++;
            break;
        case 2:
            dev.size--;
            break;
        default:
            break;
        }
        if (dev.size < 15 || dev.size > 17)
            reach_error();
    }
    pthread_mutex_unlock(&dev.lock);
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
