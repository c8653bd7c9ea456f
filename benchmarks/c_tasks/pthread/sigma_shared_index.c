// expected: error
/* Each of four threads takes the next cell by an index that nothing protects: two may take the same. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

#define N 4
int cells[N], next = -1;
void *work(void *unused) { cells[next] = 1; return 0; }

int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) {
        next++;
        pthread_create(&t[k], 0, work, 0);
    }
    int sum = 0;
    for (int k = 0; k < N; k++)
        pthread_join(t[k], 0);
    for (int k = 0; k < N; k++)
        sum += cells[k];
    if (sum != N)
        reach_error();
    return 0;
}
