#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void integer(const char *text, int base) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, base);
    printf("%ld %d %d  ", value, (int)(end - text), errno);
    errno = 0;
    unsigned long other = strtoul(text, &end, base);
    printf("%lu %d %d\n", other, (int)(end - text), errno);
}
static int ascending(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }
static int modulo(const void *one, const void *other, void *by) {
    int by_ = *(int *)by;
    return *(const int *)one % by_ - *(const int *)other % by_;
}

int main(void) {
    const char *texts[] = {"12", "  -34x", "+7", "0x1F", "0x", "0xg", "077", "08", "z", "", "   ", "-", "+-1", "9223372036854775807",
                           "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
                           "18446744073709551616", "-1", "1_0", "10", "7fffffff", "\t\n12"};
    for (int i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int base = 0; base <= 16; base += base == 0 ? 8 : base == 8 ? 2 : 6) integer(texts[i], base);
    integer("zZ9", 36);
    errno = 0;
    printf("%ld %d ", strtol("11", NULL, 2), errno);
    printf("%d %ld %lld\n", atoi(" 42abc"), atol("-5"), atoll("99999999999"));
    div_t d = div(-7, 2);
    ldiv_t l = ldiv(7, -2);
    lldiv_t ll = lldiv(-9, -4);
    printf("%d %d %ld %ld %lld %lld %d %ld %lld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem, abs(-3), labs(-4), llabs(-5));
    int numbers[] = {5, 3, 9, -1, 3, 0, 12}, key = 9, by = 5;
    qsort(numbers, 7, sizeof(int), ascending);
    for (int i = 0; i < 7; i++) printf("%d ", numbers[i]);
    int *found = bsearch(&key, numbers, 7, sizeof(int), ascending);
    key = 4;
    printf("%d %d ", (int)(found - numbers), bsearch(&key, numbers, 7, sizeof(int), ascending) == NULL);
    int positive[] = {14, 6, 7, 20, 13};
    qsort_r(positive, 5, sizeof(int), modulo, &by);
    for (int i = 0; i < 5; i++) printf("%d ", positive[i]);
    unsigned seed = 1;
    printf("%d %d\n", rand_r(&seed), rand_r(&seed));
    printf("%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%08.3d|%.0d|%i|%x|%#x|%#X|%#o|%o|%#x|%#o|%u|%hhd|%hu|%ld|%llx|%zu|%jd|%td\n", 42, 42, -42, 42, 42,
           7, 7, 7, 0, -5, 255, 255, 255, 8, 8, 0, 0, -1, 300, 70000, -1L, 1ULL << 40, (size_t)5, (long)-6, (long)7);
    printf("%*d|%-*d|%.*d|%*.*d|%*d|%.*f|%c|%5c|%-5c|%%|%p|%5s|%.2s|%10.1s|\n", 5, 1, 5, 2, 3, 3, 6, 4, 4, -6, 9, -1, 2.0, 'a', 'b', 'c', (void *)0, "ab", "abc", "xyz");
    return 0;
}
