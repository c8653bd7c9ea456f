/* A parallel compressor like pbzip2: a producer puts blocks into a queue, consumers compress them. The bug: main() does
   not wait for the consumers before it frees the queue, as pbzip2 0.9.4 does not. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 4

typedef struct {
    int waiting[BLOCKS];
    int head, tail, count;
    pthread_mutex_t *lock;
} fifo;

static fifo *queue;
static int done, written;

static int compress(int block) {
    int runs = 0;
    for (int each = 1; each < 6; each++)
        if ((block >> each & 1) != (block >> (each - 1) & 1)) runs++;
    return runs;
}

static void *consume(void *unused) {
    for (;;) {
        pthread_mutex_lock(queue->lock);
        while (queue->count == 0) {
            if (done) {
                pthread_mutex_unlock(queue->lock);
                return 0;
            }
            pthread_mutex_unlock(queue->lock);
            usleep(50);
            pthread_mutex_lock(queue->lock);
        }
        int block = queue->waiting[queue->head];
        queue->head = (queue->head + 1) % BLOCKS;
        queue->count--;
        pthread_mutex_unlock(queue->lock);
        written += compress(block);
    }
}

static void *produce(void *unused) {
    for (int each = 0; each < BLOCKS; each++) {
        pthread_mutex_lock(queue->lock);
        queue->waiting[queue->tail] = each * 11;
        queue->tail = (queue->tail + 1) % BLOCKS;
        queue->count++;
        pthread_mutex_unlock(queue->lock);
    }
    done = 1;
    return 0;
}

int main(void) {
    pthread_t producer, consumers[2];
    queue = calloc(1, sizeof *queue);
    queue->lock = malloc(sizeof *queue->lock);
    pthread_mutex_init(queue->lock, 0);
    for (int each = 0; each < 2; each++) pthread_create(&consumers[each], 0, consume, 0);
    pthread_create(&producer, 0, produce, 0);
    pthread_join(producer, 0);
    fifo *old = queue;
    queue = 0;
    free(old->lock);
    free(old);
    for (int each = 0; each < 2; each++) pthread_join(consumers[each], 0);
    return 0;
}
