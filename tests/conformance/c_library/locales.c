#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main() {
    for (wint_t c = 0; c < 128; c++) printf("%d%d%d", !!iswprint(c), !!iswalpha(c), wcwidth(c));
    wchar_t w = 7; mbstate_t s; memset(&s, 0, sizeof s);
    printf("\n%zd %d", mbrtowc(&w, "xy", 2, &s), w); printf(" %zd %d", mbrtowc(&w, "", 1, &s), w);
    printf(" %zd %zd %d", mbrtowc(&w, "x", 0, &s), mbrlen("q", 1, &s), mbsinit(&s));
    printf(" %d %d %zu\n", btowc('a'), wctob(L'b'), MB_CUR_MAX);
    printf("%s %s %d\n", setlocale(LC_ALL, "C"), setlocale(LC_ALL, 0), setlocale(LC_ALL, "xx_YY") == 0);
    printf("%s %s [%s]\n", nl_langinfo(CODESET), nl_langinfo(RADIXCHAR), nl_langinfo(THOUSEP));
    struct lconv *l = localeconv();
    printf("%s [%s] [%s] %d\n", l->decimal_point, l->thousands_sep, l->grouping, l->frac_digits);
}
