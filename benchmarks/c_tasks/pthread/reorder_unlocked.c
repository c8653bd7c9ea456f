// expected: error
/* Setters write two variables one after the other; a checker may see one of them only. */
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { abort(); }

int a, b;
void *set(void *unused) { a = 1; b = -1; return 0; }
void *check(void *unused) {
    if (!((a == 0 && b == 0) || (a == 1 && b == -1)))
        reach_error();
    return 0;
}

int main(void) {
    pthread_t s[3], c;
    for (int k = 0; k < 3; k++)
        pthread_create(&s[k], 0, set, 0);
    pthread_create(&c, 0, check, 0);
    for (int k = 0; k < 3; k++)
        pthread_join(s[k], 0);
    pthread_join(c, 0);
    return 0;
}
