// expected: error; memory model: pso
/* Under PSO the flag can arrive before the data. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int data, flag, got = 1;
void *send(void *unused) { data = 1; flag = 1; return 0; }
void *receive(void *unused) { if (flag) got = data; return 0; }

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, send, 0);
    pthread_create(&t, 0, receive, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    if (!got)
        reach_error();
    return 0;
}
