// expected: correct; memory model: pso
/* For GenMC: a message, published by a store that releases it. The reader assumes that it has come. */
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int message, flag;

void *send(void *unused)
{
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

void *receive(void *unused)
{
    __VERIFIER_assume(atomic_load_explicit(&flag, memory_order_acquire) == 1);
    assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
    return 0;
}

int main()
{
    pthread_t a, b;
    if (pthread_create(&a, NULL, send, NULL)) abort();
    if (pthread_create(&b, NULL, receive, NULL)) abort();
    return 0;
}
