#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void show(const struct tm *tm) {
    printf("%d-%d-%d %d:%d:%d %d %d %d | ", tm->tm_year, tm->tm_mon, tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec,
           tm->tm_wday, tm->tm_yday, tm->tm_isdst);
}

int main(void) {
    time_t times[] = {0, 1, 86399, 951782400, 1700000000, -1, 4102444800, 68169600};
    for (int i = 0; i < 8; i++) {
        struct tm own, *tm = gmtime(&times[i]);
        char text[200];
        show(tm);
        printf("%s %s", tm->tm_zone, asctime(tm));
        printf("%zu %s | ", strftime(text, 200, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %w %y %I %p %% %e %F %T %D", tm), text);
        printf("%d ", (int)strftime(text, 5, "%Y-%m", tm));
        own = *tm;
        printf("%ld %d ", (long)timegm(&own), gmtime_r(&times[i], &own) == &own);
        show(&own);
        printf("%d\n", localtime(&times[i]) == gmtime(&times[i]));
    }
    struct tm odd = {70, 130, -5, 31, 13, 99, 0, 0, 0};
    printf("%ld ", (long)timegm(&odd));
    show(&odd);
    struct timespec now, zero = {0, 0};
    printf("%g %d %d\n", difftime(5, 7), clock_nanosleep(CLOCK_MONOTONIC, 0, &zero, NULL), timespec_get(&now, TIME_UTC));
    char put[] = "PUT=1", shown[30];
    unsetenv("MAZURKA_ANY");
    printf("%d ", getenv("MAZURKA_ANY") == NULL);
    printf("%d %d ", setenv("MAZURKA_ANY", "one", 0), setenv("MAZURKA_ANY", "two", 0));
    printf("%s ", getenv("MAZURKA_ANY"));
    printf("%d %s ", setenv("MAZURKA_ANY", "three", 1), getenv("MAZURKA_ANY"));
    printf("%d %d ", setenv("A=B", "", 1), errno);
    printf("%d %s ", putenv(put), getenv("PUT"));
    put[4] = '2';
    printf("%s %d %d\n", getenv("PUT"), unsetenv("PUT"), getenv("PUT") == NULL);
    return 0;
}
