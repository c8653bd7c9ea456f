// expected: correct
/* Both take the spin lock. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

unsigned status;
pthread_spinlock_t lock;
void *raise_bit(void *bit) {
    pthread_spin_lock(&lock);
    status |= (unsigned)(long)bit;
    pthread_spin_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_spin_init(&lock, 0);
    for (long k = 0; k < 3; k++)
        pthread_create(&t[k], 0, raise_bit, (void *)(1L << k));
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    if (status != 7u)
        reach_error();
    return 0;
}
