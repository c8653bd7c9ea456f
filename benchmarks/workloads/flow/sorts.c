/* A merge sort that gives halves to threads, and sorts short parts by insertion. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned *from, *room;
    long count;
    int depth;
} part;

static void insertion(unsigned *from, long count) {
    for (long each = 1; each < count; each++) {
        unsigned value = from[each];
        long at = each;
        while (at > 0 && from[at - 1] > value) from[at] = from[at - 1], at--;
        from[at] = value;
    }
}

static void *sort(void *argument) {
    part *own = argument;
    if (own->count <= 24) {
        insertion(own->from, own->count);
        return 0;
    }
    long half = own->count / 2;
    part left = {own->from, own->room, half, own->depth - 1};
    part right = {own->from + half, own->room + half, own->count - half, own->depth - 1};
    if (own->depth > 0) {
        pthread_t thread;
        pthread_create(&thread, 0, sort, &left);
        sort(&right);
        pthread_join(thread, 0);
    } else {
        sort(&left);
        sort(&right);
    }
    long a = 0, b = half, to = 0;
    while (a < half && b < own->count) own->room[to++] = own->from[a] <= own->from[b] ? own->from[a++] : own->from[b++];
    while (a < half) own->room[to++] = own->from[a++];
    while (b < own->count) own->room[to++] = own->from[b++];
    memcpy(own->from, own->room, own->count * sizeof *own->from);
    return 0;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 6000000;
    unsigned *numbers = malloc(count * sizeof *numbers), *room = malloc(count * sizeof *room), state = 1;
    for (long each = 0; each < count; each++) numbers[each] = state = state * 1664525u + 1013904223u;
    part all = {numbers, room, count, 2};
    sort(&all);
    for (long each = 1; each < count; each++)
        if (numbers[each - 1] > numbers[each]) abort();
    printf("%u %u\n", numbers[0], numbers[count - 1]);
}
