// expected: error
/* Each thread sets its number to one more than the other's. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define ROUNDS 3
int i = 3, j = 6;
void *left(void *unused) { for (int k = 0; k < ROUNDS; k++) i = j + 1; return 0; }
void *right(void *unused) { for (int k = 0; k < ROUNDS; k++) j = i + 1; return 0; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    int most_i = i, most_j = j;
    if (most_i >= 2 * ROUNDS + 6 || most_j >= 2 * ROUNDS + 6)
        reach_error();
    return 0;
}
