/* A thread waits for another one's results. The bug: it looks at the flag before it takes the lock, so that the signal
   may come in between. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int finished, steps;

static void *work(void *unused) {
    for (int each = 0; each < 4; each++)
        if (steps < 10) steps++;
    pthread_mutex_lock(&lock);
    finished = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    if (!finished) {
        usleep(2000);
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&ready, &lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(worker, 0);
    return 0;
}
