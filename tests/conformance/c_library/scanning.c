#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_list(const char *text, const char *pattern, ...) {
    va_list left;
    va_start(left, pattern);
    int found = vsscanf(text, pattern, left);
    va_end(left);
    return found;
}

int main(void) {
    int a = -1, b = -1, c = -1;
    unsigned u = 0;
    short s = 0;
    unsigned char tiny = 0;
    long l = 0;
    float f = 0;
    double d = 0;
    long double ld = 0;
    char text[20] = "", other[20] = "", ch = 0;
    printf("%d %d %d | ", sscanf("12 -7", "%d %d", &a, &b), a, b);
    printf("%d %d %x | ", sscanf("0x1f 017 ff", "%i%i%x", &a, &b, &u), a, u);
    printf("%d %d | ", sscanf("", "%d", &a), sscanf("x", "%d", &a));
    printf("%d %d | ", sscanf("5,", "%d,%d", &a, &b), sscanf("5;6", "%d,%d", &a, &b));
    printf("%d %s %s | ", sscanf("key = value rest", "%s = %19s", text, other), text, other);
    printf("%d %c %d | ", sscanf("  ab", " %c%n", &ch, &c), ch, c);
    printf("%d %s %s | ", sscanf("abc123def", "%[a-z]%*d%[^x]", text, other), text, other);
    printf("%d %s | ", sscanf("[x]y", "[%[^]]]", text), text);
    printf("%d %hd %hhu %ld | ", sscanf("70000 300 9999999999", "%hd %hhu %ld", &s, &tiny, &l), s, tiny, l);
    printf("%d %g %g %Lg | ", sscanf("1.5 -2e3 .25", "%f %lf %Lf", &f, &d, &ld), f, d, ld);
    printf("%d %d %d | ", sscanf("123456", "%3d%2d", &a, &b), a, b);
    printf("%d %d | ", sscanf("50%", "%d%%", &a), a);
    printf("%d %d | ", by_list("8 9", "%d %d", &a, &b), a + b);
    printf("%d\n", sscanf("   ", "%s", text));

    char name[] = "scanXXXXXX", *line = NULL;
    size_t size = 0;
    int number = mkstemp(name);
    FILE *file = fdopen(number, "w+");
    fprintf(file, "10 twenty\n30.5 x\nlast line without end");
    rewind(file);
    printf("%d %d %s | ", fscanf(file, "%d %s", &a, text), a, text);
    printf("%d %g %c | ", fscanf(file, "%lf %c", &d, &ch), d, ch);
    printf("%zd ", getline(&line, &size, file));
    printf("%zd %s ", getline(&line, &size, file), line);
    printf("%zd %d %d\n", getline(&line, &size, file), feof(file) != 0, fscanf(file, "%d", &a));
    free(line);
    fclose(file);
    unlink(name);
    return 0;
}
