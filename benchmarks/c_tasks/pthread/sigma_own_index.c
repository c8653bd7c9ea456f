// expected: correct
/* Each thread is given its cell. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define N 4
int cells[N];
void *work(void *cell) { *(int *)cell = 1; return 0; }

int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++)
        pthread_create(&t[k], 0, work, &cells[k]);
    int sum = 0;
    for (int k = 0; k < N; k++)
        pthread_join(t[k], 0);
    for (int k = 0; k < N; k++)
        sum += cells[k];
    if (sum != N)
        reach_error();
    return 0;
}
