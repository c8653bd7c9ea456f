// expected: error
/* For SMACK: a lock that is taken after it was seen to be free, and an input. */
#include "smack.h"
#include <pthread.h>

int locked, balance;

void take(void)
{
    assume(locked == 0);
    locked = 1;
}

void *pay(void *sum)
{
    take();
    balance = balance + (int)(long)sum;
    locked = 0;
    return 0;
}

int main(void)
{
    int sum = __VERIFIER_nondet_int();
    pthread_t a, b;
    assume(sum > 0 && sum < 1000);
    pthread_create(&a, 0, pay, (void *)(long)sum);
    pthread_create(&b, 0, pay, (void *)(long)sum);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance == 2 * sum);
    return 0;
}
