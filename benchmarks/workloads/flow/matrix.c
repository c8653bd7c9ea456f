/* Matrices, multiplied by threads that take rows from a shared counter. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int size;
static double *a, *b, *c;
static atomic_int row;

static void *work(void *unused) {
    (void)unused;
    for (int i; (i = atomic_fetch_add(&row, 1)) < size;)
        for (int k = 0; k < size; k++)
            for (int j = 0; j < size; j++) c[i * size + j] += a[i * size + k] * b[k * size + j];
    return 0;
}

int main(int argc, char **argv) {
    size = argc > 1 ? atoi(argv[1]) : 1000;
    a = calloc((size_t)size * size, sizeof *a), b = calloc((size_t)size * size, sizeof *b);
    c = calloc((size_t)size * size, sizeof *c);
    for (int each = 0; each < size * size; each++) a[each] = each % 7, b[each] = each % 5;
    pthread_t threads[2];
    for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, 0);
    for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
    double sum = 0;
    for (int each = 0; each < size * size; each++) sum += c[each];
    printf("%.0f\n", sum);
}
