// expected: error
/* In the style of pthread-ext, as old tasks are: nothing of the verifier is declared, functions are called before they are defined. */
#include <pthread.h>

int free_places = 2, taken;

void *enter(void *unused)
{
    if (__VERIFIER_nondet_bool())
        enter_at_once(1);
    return 0;
}

void enter_at_once(int places)
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
