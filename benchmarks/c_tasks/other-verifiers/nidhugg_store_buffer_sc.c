// expected: correct
/* For Nidhugg: the threads cannot both miss the other's store. Its functions are not declared. */
#include <assert.h>
#include <pthread.h>

volatile int x, y, seen_x, seen_y;

void *first(void *arg) { x = 1; seen_y = y; return NULL; }
void *second(void *arg) { y = 1; seen_x = x; return NULL; }

int main(int argc, char *argv[])
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    __VERIFIER_assume(seen_x == 0);
    assert(seen_y == 1);
    return 0;
}
