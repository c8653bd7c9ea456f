/* Looks for patterns in a text, each thread in its part, as grep does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static long size;
static const char *patterns[] = {"needle", "haystack", "abcab", "zz", "queue"};

static long find(const char *from, long length, const char *pattern) {
    long count = 0, skip[256], width = strlen(pattern);
    for (int each = 0; each < 256; each++) skip[each] = width;
    for (int each = 0; each < width - 1; each++) skip[(unsigned char)pattern[each]] = width - 1 - each;
    for (long at = 0; at + width <= length;) {
        long last = width - 1;
        while (last >= 0 && from[at + last] == pattern[last]) last--;
        if (last < 0) count++;
        at += skip[(unsigned char)from[at + width - 1]];
    }
    return count;
}

static void *work(void *argument) {
    long part = (long)argument, count = 0;
    for (unsigned each = 0; each < sizeof patterns / sizeof *patterns; each++)
        count += find(text + part * (size / 2), size / 2, patterns[each]);
    return (void *)count;
}

int main(int argc, char **argv) {
    size = argc > 1 ? atol(argv[1]) : 60000000;
    text = malloc(size);
    unsigned state = 99;
    for (long at = 0; at < size; at++) {
        state = state * 1664525u + 1013904223u;
        text[at] = 'a' + (state >> 24) % 26;
    }
    pthread_t threads[2];
    long count = 0;
    for (long each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void *)each);
    for (int each = 0; each < 2; each++) {
        void *own;
        pthread_join(threads[each], &own);
        count += (long)own;
    }
    printf("%ld\n", count);
}
