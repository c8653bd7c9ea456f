// expected: correct
/* remove() joins the worker first. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

struct device { int alive; int count; } *dev;
void *worker(void *unused) {
    if (dev) {
        struct device *mine = dev;
        if (!mine || !mine->alive)
            reach_error();
        mine->count++;
    }
    return 0;
}

int main(void) {
    pthread_t a;
    dev = calloc(1, sizeof *dev);
    dev->alive = 1;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    dev->alive = 0;
    free(dev);
    dev = 0;
    return 0;
}
