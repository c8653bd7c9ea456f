/* A hash table with open addressing that threads share, a lock for each part of it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS (1 << 16)
#define PARTS 16

typedef struct {
    unsigned key, count;
} slot;

static slot slots[SLOTS];
static pthread_mutex_t locks[PARTS];
static long operations;

static unsigned hash(unsigned key) {
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ (key >> 16);
}

static int add(unsigned key) {
    unsigned size = SLOTS / PARTS, part = key % PARTS;
    slot *own = slots + part * size;
    unsigned at = hash(key) % size;
    for (unsigned tries = 0; tries < size; tries++) {
        slot *each = own + (at + tries) % size;
        if (each->key == key) return ++each->count;
        if (each->key == 0) {
            each->key = key;
            return each->count = 1;
        }
    }
    return 0;
}

static void *work(void *argument) {
    unsigned state = (unsigned)(long)argument;
    long found = 0;
    for (long each = 0; each < operations; each++) {
        state = state * 1664525u + 1013904223u;
        unsigned key = (state >> 12) % 40000 + 1;
        pthread_mutex_lock(&locks[key % PARTS]);
        if (add(key) > 1) found++;
        pthread_mutex_unlock(&locks[key % PARTS]);
    }
    return (void *)found;
}

int main(int argc, char **argv) {
    operations = argc > 1 ? atol(argv[1]) : 10000000;
    pthread_t threads[2];
    long found = 0;
    for (int each = 0; each < PARTS; each++) pthread_mutex_init(&locks[each], 0);
    for (long each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void *)(each + 1));
    for (int each = 0; each < 2; each++) {
        void *own;
        pthread_join(threads[each], &own);
        found += (long)own;
    }
    printf("%ld\n", found);
}
