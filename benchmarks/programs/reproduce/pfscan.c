/* A parallel scanner like pfscan: the main thread puts texts into a queue, workers look for a pattern in them. The bug:
   the number of matches is added to without the lock. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define TEXTS 6
#define WORKERS 2
#define ROOM 3

static const char *texts[TEXTS] = {"abab", "xab", "none", "ab", "aab", "b"};

static struct {
    const char *waiting[ROOM];
    int head, tail, count, closed;
    pthread_mutex_t lock;
    pthread_cond_t more, less;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .less = PTHREAD_COND_INITIALIZER};

static int matches;

static int queue_get(const char **text) {
    pthread_mutex_lock(&queue.lock);
    while (!queue.closed && queue.count == 0) pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.count == 0) {
        pthread_mutex_unlock(&queue.lock);
        return 0;
    }
    *text = queue.waiting[queue.head];
    queue.head = (queue.head + 1) % ROOM;
    queue.count--;
    pthread_cond_signal(&queue.less);
    pthread_mutex_unlock(&queue.lock);
    return 1;
}

static void queue_put(const char *text) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == ROOM) pthread_cond_wait(&queue.less, &queue.lock);
    queue.waiting[queue.tail] = text;
    queue.tail = (queue.tail + 1) % ROOM;
    queue.count++;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static void queue_close(void) {
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static int scan(const char *text) {
    int found = 0;
    for (int at = 0; text[at]; at++)
        if (text[at] == 'a' && text[at + 1] == 'b') found++;
    return found;
}

static void *work(void *unused) {
    const char *text;
    while (queue_get(&text)) {
        int found = scan(text);
        if (found) {
            int before = matches;
            usleep(50);
            matches = before + found;
        }
    }
    return 0;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int each = 0; each < WORKERS; each++) pthread_create(&workers[each], 0, work, 0);
    for (int each = 0; each < TEXTS; each++) queue_put(texts[each]);
    queue_close();
    for (int each = 0; each < WORKERS; each++) pthread_join(workers[each], 0);
    assert(matches == 5);
    return 0;
}
