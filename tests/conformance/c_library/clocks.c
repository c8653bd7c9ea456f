#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <threads.h>

/* What functions of time return for clocks and times that are none. */
#define SHOW(call) (errno = 0, result = call, printf("%s=%d:%d ", #call, result, errno))
static int result;

int main(void) {
    const struct timespec none = {0, 0}, bad = {0, 1000000000}, negative = {0, -1}, before = {-1, 0}, soon = {0, 1000};
    struct timespec now, last, rest = {0, 0};
    const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                                CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,
                                CLOCK_TAI, 77};
    for (int i = 0; i < 10; i++) {
        SHOW(clock_gettime(clocks[i], &now));
        if (result == 0) {
            clock_gettime(clocks[i], &last);
            printf("%d ", last.tv_sec > now.tv_sec || (last.tv_sec == now.tv_sec && last.tv_nsec >= now.tv_nsec));
            printf("%d ", now.tv_sec > 1000000000);
        }
        SHOW(clock_getres(clocks[i], &now));
        SHOW(clock_getres(clocks[i], NULL));
        if (clocks[i] != CLOCK_PROCESS_CPUTIME_ID) {
            SHOW(clock_nanosleep(clocks[i], 0, &soon, NULL));
            SHOW(clock_nanosleep(clocks[i], TIMER_ABSTIME, &none, NULL));
            SHOW(clock_nanosleep(clocks[i], 0, &bad, &rest));
        }
        printf("\n");
    }
    SHOW(nanosleep(&none, NULL));
    SHOW(nanosleep(&bad, NULL));
    SHOW(nanosleep(&negative, NULL));
    SHOW(nanosleep(&before, NULL));
    SHOW(nanosleep(&soon, &rest));
    SHOW(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &before, NULL));
    SHOW(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &bad, NULL));
    SHOW(usleep(0));
    SHOW(usleep(1500000));
    SHOW(sleep(0));
    SHOW(thrd_sleep(&none, NULL));
    SHOW(thrd_sleep(&bad, NULL));
    SHOW(thrd_sleep(&before, NULL));
    SHOW(timespec_get(&now, TIME_UTC));
    SHOW(timespec_get(&now, 0));
    SHOW(timespec_get(&now, 77));
    SHOW(time(NULL) > 1000000000);
    SHOW(clock() >= 0);
    printf("\n");
    return 0;
}
