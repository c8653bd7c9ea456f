/* A buffer of characters whose methods lock it, like the StringBuffer of JDK 1.4. The bug: append() asks another buffer
   for its length and then for its characters, and that one may be shortened in between. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    pthread_mutex_t lock;
    char *text;
    int length, room;
} sbuf;

static sbuf *sbuf_new(const char *text) {
    sbuf *made = calloc(1, sizeof *made);
    pthread_mutex_init(&made->lock, 0);
    made->length = strlen(text);
    made->room = made->length + 16;
    made->text = malloc(made->room);
    memcpy(made->text, text, made->length);
    return made;
}

static int sbuf_length(sbuf *b) {
    pthread_mutex_lock(&b->lock);
    int length = b->length;
    pthread_mutex_unlock(&b->lock);
    return length;
}

static void sbuf_characters(sbuf *b, int end, char *to) {
    pthread_mutex_lock(&b->lock);
    assert(end <= b->length);
    for (int each = 0; each < end; each++) to[each] = b->text[each];
    pthread_mutex_unlock(&b->lock);
}

static void sbuf_erase(sbuf *b, int start, int end) {
    pthread_mutex_lock(&b->lock);
    if (end > b->length) end = b->length;
    if (start < end) {
        memmove(b->text + start, b->text + end, b->length - end);
        b->length -= end - start;
    }
    pthread_mutex_unlock(&b->lock);
}

static void sbuf_append(sbuf *b, sbuf *other) {
    pthread_mutex_lock(&b->lock);
    int length = sbuf_length(other);
    usleep(80);
    if (b->length + length > b->room) {
        b->room = b->length + length;
        b->text = realloc(b->text, b->room);
    }
    sbuf_characters(other, length, b->text + b->length);
    b->length += length;
    pthread_mutex_unlock(&b->lock);
}

static sbuf *shared;

static void *erase(void *unused) {
    for (int each = 0; each < 5; each++) {
        sbuf_erase(shared, 0, 2);
        usleep(100);
    }
    return 0;
}

static void *append(void *unused) {
    sbuf *own = sbuf_new("");
    for (int each = 0; each < 5; each++) {
        sbuf_append(own, shared);
        usleep(100);
    }
    return 0;
}

int main(void) {
    pthread_t one, other;
    shared = sbuf_new("abcdefghijkl");
    pthread_create(&one, 0, append, 0);
    pthread_create(&other, 0, erase, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
