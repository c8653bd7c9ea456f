// expected: correct
/* In the style of pthread-ext, as old tasks are: nothing of the verifier is declared, sections are called before they are defined. */
#include <pthread.h>

int free_places = 2, taken;

void *enter(void *unused)
{
    if (__VERIFIER_nondet_bool())
        __VERIFIER_atomic_enter(1);
    return 0;
}

void __VERIFIER_atomic_enter(int places)
{
    __VERIFIER_assume(free_places >= places);
    free_places = free_places - places;
    taken = taken + places;
    __VERIFIER_assert(taken <= 2);
}

int main()
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, enter, 0);
    return 0;
}
