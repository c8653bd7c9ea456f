#include <ctype.h>
#include <stdio.h>

int main(void) {
    int (*tests[])(int) = {isalnum, isalpha, isblank, iscntrl, isdigit, isgraph, islower, isprint, ispunct, isspace, isupper, isxdigit, isascii};
    for (int test = 0; test < 13; test++) {
        unsigned long sum = 0;
        for (int c = -1; c < 256; c++) sum = sum * 31 + (tests[test](c) != 0);
        printf("%lu ", sum);
    }
    unsigned long sum = 0;
    for (int c = -1; c < 256; c++)
        sum = sum * 31 + (isalnum(c) != 0) + 2 * (isalpha(c) != 0) + 4 * (isblank(c) != 0) + 8 * (iscntrl(c) != 0) +
              16 * (isdigit(c) != 0) + 32 * (isgraph(c) != 0) + 64 * (islower(c) != 0) + 128 * (isprint(c) != 0) +
              256 * (ispunct(c) != 0) + 512 * (isspace(c) != 0) + 1024 * (isupper(c) != 0) + 2048 * (isxdigit(c) != 0);
    printf("%lu\n", sum);
    int (*changes[])(int) = {toupper, tolower, toascii};
    for (int change = 0; change < 3; change++)
        for (int c = 0; c < 256; c++) printf("%d ", changes[change](c));
    for (int c = -1; c < 256; c++) printf("%d %d ", toupper(c), tolower(c));
    return 0;
}
