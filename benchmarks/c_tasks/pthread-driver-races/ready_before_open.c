// expected: correct
/* The state is set up first. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

struct device { pthread_mutex_t lock; int *buffer; int registered; } dev;
void *call(void *unused) {
    int there = dev.registered;
    if (there) {
        pthread_mutex_lock(&dev.lock);
        if (!dev.buffer)
            reach_error();
        pthread_mutex_unlock(&dev.lock);
    }
    return 0;
}
int probe(void) {
    static int buffer[4];
    pthread_mutex_init(&dev.lock, 0);
    dev.buffer = buffer;
    dev.registered = 1;
    return 0;
}

int main(void) {
    pthread_t user, other;
    pthread_create(&user, 0, call, 0);
    pthread_create(&other, 0, call, 0);
    probe();
    pthread_join(user, 0);
    pthread_join(other, 0);
    return 0;
}
