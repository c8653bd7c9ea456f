// expected: error
/* A device is registered before its state is set up: an early call finds none. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

struct device { pthread_mutex_t lock; int *buffer; int registered; } dev;
void *call(void *unused) {
    int there = dev.registered;
    if (there && !dev.buffer)
        reach_error();
    return 0;
}
int probe(void) {
    static int buffer[4];
    pthread_mutex_init(&dev.lock, 0);
    dev.registered = 1;
    dev.buffer = buffer;
    return 0;
}

int main(void) {
    pthread_t user;
    pthread_create(&user, 0, call, 0);
    probe();
    pthread_join(user, 0);
    return 0;
}
