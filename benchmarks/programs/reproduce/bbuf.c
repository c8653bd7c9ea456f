/* A bounded buffer for several producers and consumers. The bug: a consumer that was woken does not look again whether
   the buffer is empty, so it takes an item that another consumer has taken. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 4
#define ITEMS 6

typedef struct {
    int items[SIZE];
    int head, tail, count;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
} buffer;

static buffer shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER};

static void put(buffer *b, int item) {
    pthread_mutex_lock(&b->lock);
    while (b->count == SIZE) pthread_cond_wait(&b->not_full, &b->lock);
    b->items[b->tail] = item;
    b->tail = (b->tail + 1) % SIZE;
    b->count++;
    pthread_cond_broadcast(&b->not_empty);
    pthread_mutex_unlock(&b->lock);
}

static int get(buffer *b) {
    pthread_mutex_lock(&b->lock);
    if (b->count == 0) pthread_cond_wait(&b->not_empty, &b->lock);
    assert(b->count > 0);
    int item = b->items[b->head];
    b->head = (b->head + 1) % SIZE;
    b->count--;
    pthread_cond_signal(&b->not_full);
    pthread_mutex_unlock(&b->lock);
    return item;
}

static void *produce(void *unused) {
    for (int each = 0; each < ITEMS; each++) {
        put(&shared, each + 1);
        usleep(300);
    }
    return 0;
}

static void *consume(void *total) {
    for (int each = 0; each < ITEMS; each++) {
        int item = get(&shared);
        if (item % 2) *(int *)total += item;
    }
    return 0;
}

int main(void) {
    pthread_t producers[2], consumers[2];
    int totals[2] = {0, 0};
    for (int each = 0; each < 2; each++) pthread_create(&consumers[each], 0, consume, &totals[each]);
    for (int each = 0; each < 2; each++) pthread_create(&producers[each], 0, produce, 0);
    for (int each = 0; each < 2; each++) pthread_join(producers[each], 0);
    for (int each = 0; each < 2; each++) pthread_join(consumers[each], 0);
    return 0;
}
