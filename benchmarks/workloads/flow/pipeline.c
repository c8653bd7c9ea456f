/* Stages that hand lines of text on through bounded queues: split, count, and sum up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 64
#define LENGTH 120

typedef struct {
    char lines[ROOM][LENGTH];
    int first, used, closed;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} queue;

static queue lines = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static queue words = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static long counts[64];

static void put(queue *to, const char *line) {
    pthread_mutex_lock(&to->lock);
    while (to->used == ROOM) pthread_cond_wait(&to->changed, &to->lock);
    strncpy(to->lines[(to->first + to->used++) % ROOM], line, LENGTH - 1);
    pthread_cond_broadcast(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static int get(queue *from, char *line) {
    pthread_mutex_lock(&from->lock);
    while (!from->used && !from->closed) pthread_cond_wait(&from->changed, &from->lock);
    int found = from->used > 0;
    if (found) {
        memcpy(line, from->lines[from->first], LENGTH);
        from->first = (from->first + 1) % ROOM, from->used--;
    }
    pthread_cond_broadcast(&from->changed);
    pthread_mutex_unlock(&from->lock);
    return found;
}

static void end(queue *of) {
    pthread_mutex_lock(&of->lock);
    of->closed = 1;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
}

static void *split(void *unused) {
    char line[LENGTH], packed[LENGTH];
    (void)unused;
    while (get(&lines, line)) {
        int used = 0, in_word = 0;
        for (int at = 0; line[at]; at++) {
            char each = line[at];
            if (each >= 'A' && each <= 'Z') each += 'a' - 'A';
            if ((each >= 'a' && each <= 'z') || (each >= '0' && each <= '9')) packed[used++] = each, in_word = 1;
            else if (in_word) packed[used++] = ' ', in_word = 0;
        }
        packed[used] = 0;
        put(&words, packed);
    }
    end(&words);
    return 0;
}

static void *count(void *unused) {
    char line[LENGTH];
    (void)unused;
    while (get(&words, line)) {
        int length = 0;
        for (char *at = line;; at++) {
            if (*at && *at != ' ') {
                length++;
                continue;
            }
            if (length) counts[length < 63 ? length : 63]++;
            length = 0;
            if (!*at) break;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    long total = argc > 1 ? atol(argv[1]) : 400000;
    pthread_t threads[2];
    pthread_create(&threads[0], 0, split, 0);
    pthread_create(&threads[1], 0, count, 0);
    unsigned state = 12345;
    for (long each = 0; each < total; each++) {
        char line[LENGTH];
        int length = 60 + (state >> 20) % 50;
        for (int at = 0; at < length; at++) {
            state = state * 1664525u + 1013904223u;
            unsigned drawn = state >> 24;
            line[at] = drawn < 40 ? ' ' : drawn < 60 ? ',' : drawn < 140 ? 'A' + drawn % 26 : 'a' + drawn % 26;
        }
        line[length] = 0;
        put(&lines, line);
    }
    end(&lines);
    for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
    long sum = 0;
    for (int each = 0; each < 64; each++) sum = sum * 31 + counts[each];
    printf("%ld\n", sum);
}
