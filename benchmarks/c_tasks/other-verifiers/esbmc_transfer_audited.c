// expected: error
/* For ESBMC, undeclared: transfers in sections are sections, but the auditor reads without one. K&R throughout. */
#include <pthread.h>

from_ = 10, to_ = 0;

void *transfer(arg) void *arg;
{
    __ESBMC_atomic_begin();
    from_ = from_ - 3;
    to_ = to_ + 3;
    __ESBMC_atomic_end();
    return 0;
}

main()
{
    pthread_t a, b;
    int sum;
    pthread_create(&a, 0, transfer, 0);
    pthread_create(&b, 0, transfer, 0);
    sum = from_ + to_;
    __ESBMC_assert(sum == 10, "money is neither made nor lost");
    pthread_join(a, 0);
    pthread_join(b, 0);
    __ESBMC_assert(from_ == 4 && to_ == 6, "both transfers");
    return 0;
}
