#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void scan(const char *options, char **given) {
    static int flag; int c, at, n = 0; char *v[20];
    while (given[n]) { v[n] = given[n]; n++; }
    v[n] = 0; optind = 0; opterr = 0; flag = 0; at = -1;
    struct option l[] = {{"all", 0, 0, 'a'}, {"name", 1, 0, 'n'}, {"maybe", 2, 0, 'm'}, {"flag", 0, &flag, 5},
                         {"nothing", 0, 0, 1000}, {0, 0, 0, 0}};
    while ((c = getopt_long(n, v, options, l, &at)) != -1)
        printf("%d:%s:%d:%d:%d ", c, optarg ? optarg : "-", at, c == '?' || c == ':' ? optopt : 0, flag);
    printf("|%d", optind); for (int i = 0; i < n; i++) printf(" %s", v[i]);
    puts(""); optind = 1;
    optind = 0; while ((c = getopt(n, v, options)) != -1) printf("%d:%s ", c, optarg ? optarg : "-");
    printf("|%d", optind); for (int i = 0; i < n; i++) printf(" %s", v[i]);
    puts("");
}
static void scan_suboptions(const char *given) {
    char text[40], *at = text, *value, *const names[] = {"one", "two", "on", 0};
    snprintf(text, sizeof text, "%s", given);
    while (*at) { int found = getsubopt(&at, names, &value); printf("%d:%s:%d ", found, value ? value : "-", (int)(at - text)); }
    printf("%d\n", getsubopt(&at, names, &value));
}
int main() {
    char texts[][20] = {"one", "two=3,one", "on,onetwo,one=,=x", ",two", "one,,two=a=b,", "wrong=1,two"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) scan_suboptions(texts[i]);
    char *sets[][12] = {
        {"p", "-a", "x", "-n", "5", "y", "-abn7", "--", "-z", 0},
        {"p", "x", "y", "--name=z", "--maybe", "--maybe=q", 0},
        {"p", "--nam", "w", "--all=3", "--n", "--flag", "-", "-m", "-mv", 0}, {"p", "x", "-n", 0}, {"p", "--name", 0},
        {"p", "a", "-a", "b", "-a", "c", "d", 0}, {"p", "-q", "--wrong", "-a", 0}, {"p", 0}, {"p", "--", "x", 0}};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        scan("an:m::b", sets[i]); scan("+an:m::b", sets[i]); scan(":an:m::b", sets[i]); scan("-an:m::b", sets[i]);
    }
}
