// expected: error
/* remove() frees the device without waiting for its worker, which then finds it cleared. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

struct device { int alive; int count; } *dev;
void *worker(void *unused) {
    if (dev) {
        struct device *mine = dev;
        if (!mine)
            reach_error();
        mine->count++;
    }
    return 0;
}

int main(void) {
    pthread_t a;
    static struct device only = {1, 0};
    dev = &only;
    pthread_create(&a, 0, worker, 0);
    dev = 0;
    pthread_join(a, 0);
    return 0;
}
