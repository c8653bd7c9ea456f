/* A binary search tree with a lock, into which threads insert and in which they look up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    unsigned key;
    struct node *left, *right;
} node;

static node *root;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long operations;

static int insert(unsigned key) {
    node **at = &root;
    while (*at) {
        if ((*at)->key == key) return 0;
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    *at = calloc(1, sizeof(node));
    (*at)->key = key;
    return 1;
}

static int contains(unsigned key) {
    for (node *at = root; at; at = key < at->key ? at->left : at->right)
        if (at->key == key) return 1;
    return 0;
}

static void *work(void *argument) {
    unsigned state = (unsigned)(long)argument;
    long found = 0;
    for (long each = 0; each < operations; each++) {
        state = state * 1664525u + 1013904223u;
        unsigned key = (state >> 8) % 100000;
        if (state & 0x70) {
            pthread_rwlock_rdlock(&lock);
            found += contains(key);
        } else {
            pthread_rwlock_wrlock(&lock);
            found += insert(key);
        }
        pthread_rwlock_unlock(&lock);
    }
    return (void *)found;
}

int main(int argc, char **argv) {
    operations = argc > 1 ? atol(argv[1]) : 2500000;
    pthread_t threads[2];
    long found = 0;
    for (long each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void *)(each + 1));
    for (int each = 0; each < 2; each++) {
        void *own;
        pthread_join(threads[each], &own);
        found += (long)own;
    }
    printf("%ld\n", found);
}
