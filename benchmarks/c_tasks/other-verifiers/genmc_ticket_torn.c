// expected: error
/* For GenMC: a ticket lock whose tickets are drawn in two steps: two threads may have the same. */
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, now;
int inside;

static void *enter(void *unused)
{
    unsigned ticket = atomic_load(&next);
    atomic_store(&next, ticket + 1);
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
