// expected: correct
/* A read-write lock by a counter of readers and a flag, both changed in atomic sections. */
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

void reach_error(void) { abort(); }

int readers, writing, data;
void *write_data(void *unused) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(readers == 0 && !writing);
    writing = 1;
    __VERIFIER_atomic_end();
    data++;
    data++;
    __VERIFIER_atomic_begin();
    writing = 0;
    __VERIFIER_atomic_end();
    return 0;
}

void *read_data(void *unused) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing);
    readers++;
    __VERIFIER_atomic_end();
    if (data % 2)
        reach_error();
    __VERIFIER_atomic_begin();
    readers--;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a, b, c, d;
    pthread_create(&a, 0, write_data, 0);
    pthread_create(&b, 0, read_data, 0);
    pthread_create(&c, 0, write_data, 0);
    pthread_create(&d, 0, read_data, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
    return 0;
}
