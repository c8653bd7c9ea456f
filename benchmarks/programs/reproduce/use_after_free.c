/* Two threads share an object and count how many use it. The bug: the counter is not atomic, so that one may free it
   while the other uses it. It's so large that freed memory is given back to the system. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define ROOM (1 << 20)

typedef struct {
    int users;
    char data[ROOM];
} session;

static session *open_session;

static void let_go(session *s) {
    int left = s->users - 1;
    usleep(100);
    s->users = left;
    if (left == 0) free(s);
}

static void *serve(void *given) {
    session *s = open_session;
    for (int each = 0; each < 3; each++) s->data[each] = 'a' + each;
    let_go(s);
    return 0;
}

int main(void) {
    pthread_t one, other;
    open_session = calloc(1, sizeof(session));
    open_session->users = 1;
    pthread_create(&one, 0, serve, 0);
    open_session->users = 2;
    pthread_create(&other, 0, serve, 0);
    usleep(150);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
