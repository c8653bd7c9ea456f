// expected: error
/* A consumer tests the height of a stack outside of the lock that the pop takes. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define MOST 2
int cells[MOST], top;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *fill(void *unused) {
    for (int k = 0; k < MOST; k++) {
        pthread_mutex_lock(&m);
        if (top < MOST)
            cells[top++] = k + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *take(void *unused) {
    if (top > 0) {
        pthread_mutex_lock(&m);
        top--;
        if (top < 0)
            reach_error();
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, take, 0);
    pthread_create(&c, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
