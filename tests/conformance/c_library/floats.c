#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double zero = 0.0;
static void show(const char *name, double value) {
    if (isnan(value)) printf("%s nan; ", name); /* its sign is not specified */
    else printf("%s %.14g; ", name, value);
}
#define ONE(f) for (int i = 0; i < sizeof values / sizeof *values; i++) show(#f, f(values[i])); printf("\n")
#define TWO(f) for (int i = 0; i < sizeof values / sizeof *values; i++) for (int j = 0; j < sizeof values / sizeof *values; j++) show(#f, f(values[i], values[j])); printf("\n")

static void text(const char *s) {
    char *end;
    errno = 0;
    double value = strtod(s, &end);
    printf("%g %d %d | ", value, (int)(end - s), errno);
}

int main(void) {
    double values[] = {0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 0.49999999999999994, 3.7, -3.7, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    ONE(floor); ONE(ceil); ONE(trunc); ONE(round); ONE(rint); ONE(nearbyint); ONE(fabs); ONE(sqrt); ONE(cbrt);
    ONE(exp); ONE(exp2); ONE(expm1); ONE(log); ONE(log2); ONE(log10); ONE(log1p); ONE(sinh); ONE(cosh); ONE(tanh);
    ONE(asinh); ONE(acosh); ONE(atanh); ONE(sin); ONE(atan); ONE(asin); ONE(acos); ONE(erf); ONE(logb); ONE(tgamma);
    TWO(fmod); TWO(pow); TWO(fmax); TWO(fmin); TWO(fdim); TWO(copysign); TWO(hypot); TWO(atan2); TWO(remainder);
    show("nextafter", nextafter(1.0, 2.0));
    show("fma", fma(1e16 + 2, 1e16 - 2, -1e32));
    show("fmaf", fmaf(16777217.0f, 3.0f, 1.0f));
    show("float", sqrtf(2.0f));
    show("float", powf(1.1f, 10.0f));
    int power;
    double whole;
    float part;
    show("frexp", frexp(48.0, &power));
    show("ldexp", ldexp(0.75, power));
    show("ldexp", ldexp(1.0, -1074));
    show("modf", modf(-3.25, &whole));
    show("whole", whole);
    show("modff", modff(2.5f, &part));
    show("part", part);
    show("long", (double)sqrtl(9.0L));
    printf("%ld %ld %lld %ld %d\n", lround(2.5), lrint(2.5), llround(-2.5), lround(1e10), ilogb(10.0));
    for (int i = 0; i < 17; i++) printf("%d%d%d%d ", isnan(values[i]) != 0, isinf(values[i]) != 0, isfinite(values[i]) != 0, isnormal(values[i]) != 0);
    printf("%d %d %d\n", fpclassify(5e-324) == FP_SUBNORMAL, signbit(-0.0) != 0, fpclassify(zero) == FP_ZERO);
    errno = 0;
    zero = sqrt(zero - 1);
    printf("%d ", errno);
    errno = 0;
    zero = exp(1000.0);
    printf("%d\n", errno);
    char *texts[] = {"1.5", " -2.25e2x", "+.5", "5.", ".", "e5", "1e", "1e+", "0x1.8p3", "0x", "inf", "-Infinity", "nan", "nan(12)x", "1e999", "1_0", "", "infinit", "12abc"};
    for (int i = 0; i < sizeof texts / sizeof *texts; i++) text(texts[i]);
    printf("%g %g %Lg\n", atof("2.5z"), strtof("0.1", NULL), strtold("1.25", NULL));
    printf("%a %.3e %E %G %g %g %#g %+.1f % f %08.3f %-10.2f| %f %F %e %10g\n", 1.5, 12345.678, 0.00012, 1e-10, 100000.0, 1e6, 1.0, 2.25, 3.0, -3.14159, 2.0, INFINITY, NAN, -INFINITY, NAN);
    printf("%.2a|%.0a|%#.0a|%a|%a|%A|%20a|%-20a|%020a|%a|%.15a|%.1a\n", 1.999, 1.5, 2.5, 0.0, 5e-324, 1e10, 0.1, 0.1, 0.1, -0.0, 0.1, 1.03125);
    printf("%#.0f|%.0f|%.0f|%.0e|%#.3g|%g|%g|%g|%010.4f|%+08.2e|% 8.1f|%-8.1f|%8s|%.20f|%.1f|%5.f|\n", 1.0, 0.5, 1.5, 15.0, 1.0, 1e-5, 123456789.0, 0.0001, -2.5, 3.14159, 2.25, 2.35, "x", 0.1, 0.25, 2.5);
    return 0;
}
