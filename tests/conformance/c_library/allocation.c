#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>

/* Allocations of sizes and alignments that there are none of. With -O2 clang takes malloc to leave errno alone. */
#define SHOW(call) (got = (void *)(call), printf("%s=%d ", #call, got != NULL))

int main(void) {
    void *volatile got;
    void *place = NULL;
    volatile size_t most = SIZE_MAX;
    char *some = malloc(10);
    some[0] = 'x';
    SHOW(malloc(0));
    SHOW(malloc(most));
    SHOW(malloc((most >> 1) + 1));
    SHOW(calloc(most, 2));
    SHOW(calloc(1UL << 33, 1UL << 33));
    SHOW(calloc(0, 4));
    SHOW(realloc(some, most));
    printf("%c ", some[0]);
    SHOW(reallocarray(some, 1UL << 33, 1UL << 33));
    printf("%c ", some[0]);
    SHOW(realloc(NULL, 0));
    SHOW(some = realloc(some, 20));
    printf("%c ", some[0]);
    SHOW(realloc(some, 0));
    printf("%d ", posix_memalign(&place, 3, 8));
    printf("%d ", posix_memalign(&place, 4, 8));
    printf("%d ", posix_memalign(&place, 0, 8));
    printf("%d ", posix_memalign(&place, 64, 8));
    printf("%d %d ", place != NULL, (int)((uintptr_t)place % 64));
    printf("%d ", posix_memalign(&place, 64, most >> 1));
    SHOW(aligned_alloc(64, 128));
    SHOW(aligned_alloc(64, most));
    SHOW(memalign(64, 128));
    printf("\n");
    return 0;
}
