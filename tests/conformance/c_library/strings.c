#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *at(const char *base, const void *found) {
    static char text[16];
    if (!found) return "none";
    snprintf(text, 16, "%d", (int)((const char *)found - base));
    return text;
}
static int sign(int value) { return (value > 0) - (value < 0); }

int main(void) {
    char text[64] = "one, two;  three", other[64], four[4] = {'a', 'b', 'c', 'd'}, *rest, *word;
    for (word = strtok(text, ", ;"); word; word = strtok(NULL, ", ;")) printf("<%s>", word);
    strcpy(text, ",,a,,b,");
    for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) printf("<%s>", word);
    strcpy(text, ",a,,b");
    rest = text;
    while ((word = strsep(&rest, ","))) printf("[%s]", word);
    printf("\n");
    strcpy(text, "needle in the haystack");
    printf("%s ", at(text, strchr(text, 'e')));
    printf("%s ", at(text, strrchr(text, 'e')));
    printf("%s ", at(text, strchr(text, 0)));
    printf("%s ", at(text, strchr(text, 'q')));
    printf("%s ", at(text, strchrnul(text, 'q')));
    printf("%s ", at(text, strstr(text, "the")));
    printf("%s ", at(text, strstr(text, "")));
    printf("%s ", at(text, strcasestr(text, "THE")));
    printf("%s ", at(text, strpbrk(text, "xyz")));
    printf("%s ", at(text, strpbrk(text, "0")));
    printf("%s ", at(text, memchr(text, 'n', (size_t)-1 >> 1)));
    printf("%s ", at(text, memchr(text, 'q', 5)));
    printf("%s ", at(text, memrchr(text, 'e', 8)));
    printf("%s ", at(text, memmem(text, 22, "hay", 3)));
    printf("%s ", at(text, index(text, 'i')));
    printf("%s\n", at(text, rindex(text, 'a')));
    printf("%d %d %d %d %d ", sign(strcmp("a", "b")), sign(strcmp("b", "a")), strcmp("a", "a"), sign(strcmp("", "a")),
           sign(strcmp("\xff", "a")));
    printf("%d %d %d %d ", strncmp("abcdef", four, 4), strncmp("abc", "abd", 2), strncmp("a", "b", 0),
           sign(strncmp(four, "ab", 8)));
    printf("%d %d %d ", strcasecmp("ABC", "abc"), sign(strcasecmp("AB[", "aba")), strncasecmp("ABx", "aby", 2));
    printf("%d %d %d\n", sign(memcmp("a\0b", "a\0c", 3)), memcmp(four, "abcd", 4), sign(strcoll("a", "b")));
    printf("%zu %zu %zu %zu %zu %zu\n", strlen("abc"), strnlen(four, 4), strnlen("ab", 9), strspn("aabbc", "ab"),
           strcspn("xxyz", "zy"), strspn("", "a"));
    memset(other, '#', 63);
    other[63] = 0;
    strncpy(other, four, 4);
    printf("%.8s ", other);
    strncpy(other, "ab", 6);
    printf("%d %.3s ", other[5], other + 6);
    printf("%d ", (int)(stpcpy(other, "xyz") - other));
    printf("%d %s ", (int)(stpncpy(other + 3, "12", 5) - other), other);
    strcat(other, "cat");
    strncat(other, "dogs", 3);
    printf("%s ", other);
    strcpy(other, "0123456789");
    memmove(other + 2, other, 5);
    printf("%s %s ", other, (char *)mempcpy(text, "pq", 2) - 2);
    bcopy("ZZ", other, 2);
    bzero(other + 4, 3);
    printf("%s %d\n", other, other[5]);
    char *copy = strdup("copied"), *part = strndup("partial", 4), *all = strndup("all", 9);
    printf("%s %s %s %d %d %d\n", copy, part, all, ffs(0), ffs(8), ffsl(1L << 40));
    free(copy);
    free(part);
    free(all);
    printf("%d %s %d ", (int)((char *)memccpy(other, "hello", 'l', 5) - other), other, !memccpy(other, "ab", 'c', 2));
    printf("%s\n", at(text, rawmemchr(text, 0)));
    printf("%.*s|%.2s|%.0s|%10.3s|%-6s|%s\n", 4, four, four, four, "abcdef", "ab", (char *)0);
    return 0;
}
