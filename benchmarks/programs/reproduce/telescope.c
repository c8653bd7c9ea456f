/* The program of figure 6.1 of the dissertation, a bug of an electron microscope's software: where stores to different
   places may arrive in any order (PSO), that of z may overtake that of y. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int x, y = 1, z;

static void *move(void *unused) {
    z = 0;
    x = x + 1;
    y = y + 1;
    usleep(1000);
    z = 1;
    return 0;
}

static void *look(void *unused) {
    usleep(500);
    if (z == 1) assert(x + 1 == y);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, move, 0);
    pthread_create(&other, 0, look, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
