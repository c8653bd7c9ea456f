// expected: error
/* An interrupt handler and the driver change bits of one word without a lock: one bit is lost. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

unsigned status;
pthread_spinlock_t lock;
void *interrupt(void *unused) { status |= 1u; return 0; }
void *drive(void *unused) {
    pthread_spin_lock(&lock);
    status |= 2u;
    pthread_spin_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&lock, 0);
    pthread_create(&a, 0, interrupt, 0);
    pthread_create(&b, 0, drive, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (status != 3u)
        reach_error();
    return 0;
}
