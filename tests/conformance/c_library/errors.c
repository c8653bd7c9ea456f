#include <errno.h>
#include <stdio.h>
#include <string.h>

int __xpg_strerror_r(int number, char *to, size_t size);

int main(void) {
    char text[40];
    printf("%s|%s|%s|", strerror(ENOENT), strerror_r(EINVAL, text, 40), strerror(0));
    printf("%d %s|", __xpg_strerror_r(EPERM, text, 40), text);
    printf("%d %s\n", __xpg_strerror_r(EPERM, text, 8), text);
    return 0;
}
