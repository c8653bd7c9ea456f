// expected: correct; memory model: pso
/* No load is late under TSO or PSO: not both see the other's store. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int x, y, a, b;
void *left(void *unused) { a = y; x = 1; return 0; }
void *right(void *unused) { b = x; y = 1; return 0; }

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    if (a && b)
        reach_error();
    return 0;
}
