// expected: error
/* Two threads add 1 and 2; the third finds the sum only if it comes last. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int data;
pthread_mutex_t m;
void *one(void *unused) { pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m); return 0; }
void *two(void *unused) { pthread_mutex_lock(&m); data += 2; pthread_mutex_unlock(&m); return 0; }
void *look(void *unused) {
    pthread_mutex_lock(&m);
    if (data >= 3)
        reach_error();
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_mutex_init(&m, 0);
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_create(&c, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    pthread_mutex_destroy(&m);
    return 0;
}
