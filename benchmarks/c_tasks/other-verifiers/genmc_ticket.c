// expected: correct
/* For GenMC: a ticket lock whose waiting is marked, and three threads. */
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, now;
int inside;

static void *enter(void *unused)
{
    unsigned ticket = atomic_fetch_add(&next, 1);
    await_while (atomic_load(&now) < ticket)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&now, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, enter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
