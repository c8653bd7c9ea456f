// expected: correct
/* A server without an end sets a value before each request's flag; the client looks after it has seen the flag. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int request, answer;
void *serve(void *unused) {
    while (1) {
        while (!request)
            ;
        answer = 1;
        request = 0;
    }
    return 0;
}

int main(void) {
    pthread_t s;
    pthread_create(&s, 0, serve, 0);
    request = 1;
    while (request)
        ;
    if (answer != 1)
        reach_error();
    return 0;
}
