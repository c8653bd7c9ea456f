// expected: correct
/* As fibonacci_reached, but with a bound that no order exceeds. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define ROUNDS 3
int i = 1, j = 1;
void *left(void *unused) { for (int k = 0; k < ROUNDS; k++) i += j; return 0; }
void *right(void *unused) { for (int k = 0; k < ROUNDS; k++) j += i; return 0; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    if (i > 21 || j > 21)
        reach_error();
    return 0;
}
