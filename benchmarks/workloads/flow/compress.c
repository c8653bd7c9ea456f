/* Compresses blocks by back references, as LZ77 does; threads take blocks from a shared counter. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (1 << 16)

static unsigned char *data;
static int blocks;
static atomic_int next;
static atomic_long total;

static long compress(const unsigned char *from, unsigned char *to) {
    static _Thread_local int seen[1 << 12];
    long used = 0;
    memset(seen, -1, sizeof seen);
    for (int at = 0; at < BLOCK - 4;) {
        unsigned key = (from[at] | from[at + 1] << 8 | from[at + 2] << 16) * 2654435761u >> 20;
        int before = seen[key], length = 0;
        seen[key] = at;
        if (before >= 0)
            while (length < 255 && at + length < BLOCK && from[before + length] == from[at + length]) length++;
        if (length >= 4) {
            to[used++] = 255, to[used++] = length, to[used++] = at - before, to[used++] = (at - before) >> 8;
            at += length;
        } else {
            if (from[at] == 255) to[used++] = 255;
            to[used++] = from[at++];
        }
    }
    return used;
}

static void *work(void *unused) {
    unsigned char *room = malloc(2 * BLOCK + 16);
    (void)unused;
    for (int each; (each = atomic_fetch_add(&next, 1)) < blocks;) total += compress(data + (long)each * BLOCK, room);
    free(room);
    return 0;
}

int main(int argc, char **argv) {
    blocks = argc > 1 ? atoi(argv[1]) : 900;
    data = malloc((long)blocks * BLOCK);
    unsigned state = 7;
    static const char *parts[] = {"the ", "quick ", "brown fox ", "jumps ", "over ", "a lazy dog. ", "0123", "\n"};
    for (long at = 0; at < (long)blocks * BLOCK;) {
        state = state * 1664525u + 1013904223u;
        if (state >> 28 == 0) data[at++] = state >> 16;
        else
            for (const char *each = parts[state >> 29]; *each && at < (long)blocks * BLOCK; each++) data[at++] = *each;
    }
    pthread_t threads[2];
    for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, 0);
    for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
    printf("%ld\n", (long)total);
}
