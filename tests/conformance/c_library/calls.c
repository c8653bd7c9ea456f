#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct large { long a, b, c; };
struct pair { int a, b; };

static long both(struct large one, struct large other) { return one.a * 100 + one.c * 10 + other.b; }
static struct large made(long start) { return (struct large){start, start + 1, start + 2}; }
static int apply(int (*compare)(const char *, const char *), const char *one, const char *other) {
    int order = compare(one, other);
    return order < 0 ? -1 : order > 0;
}

int main(void) {
    struct large first = made(1), second = made(4);
    long (*pointer)(struct large, struct large) = both;
    printf("%ld %ld %ld\n", both(first, second), pointer(second, first), both(made(7), made(5)));
    printf("%d %d %d\n", apply(strcmp, "a", "b"), apply(strcmp, "b", "a"), apply(strcasecmp, "A", "a"));
    int (*absolute)(int) = abs;
    double (*power)(double, double) = pow;
    printf("%d %g %zu\n", absolute(-5), power(2, 10), ((size_t (*)(const char *))strlen)("four"));
    return 0;
}
