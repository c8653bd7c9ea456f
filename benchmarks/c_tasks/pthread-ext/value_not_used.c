// expected: correct
/* Functions that end without a value, which no caller uses: valid in C (C11 6.9.1p12), as are threads that return none. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;
int add(int *place, int more) {
    if (!more)
        return 0;
    *place += more;
}
void *work(void *unused) {
    pthread_mutex_lock(&m);
    add(&total, 3);
    pthread_mutex_unlock(&m);
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (total != 6)
        reach_error();
    return add(&total, 0);
}
