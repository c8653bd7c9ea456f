// expected: error; memory model: tso
/* Both stores wait in their buffers while both loads read zero. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int x, y, a, b;
void *left(void *unused) { x = 1; a = y; return 0; }
void *right(void *unused) { y = 1; b = x; return 0; }

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    if (!a && !b)
        reach_error();
    return 0;
}
