#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main() {
    printf("%d %d %d %d\n", fileno(stdin), fileno(stdout), fileno(stderr), stdin != stdout && stdout != stderr);
    char name[] = "/tmp/tempXXXXXX", other[] = "/tmp/tempXXXXXX"; int fd = mkstemp(name), more = mkostemp(other, O_CLOEXEC);
    printf("%d %d %d %d\n", fd > 2, more != fd, strcmp(name, other) != 0, strncmp(name, "/tmp/temp", 9));
    printf("%zd %d %ld\n", write(fd, "hello\n", 6), ftruncate(fd, 3), (long)lseek(fd, 0, SEEK_END));
    printf("%d %ld\n", ftruncate(fd, 8), (long)lseek(fd, 0, SEEK_END));
    FILE *f = fdopen(more, "w+"); fputs_unlocked("text", f); fputc_unlocked('!', f); fwrite_unlocked("ab", 1, 2, f);
    printf("%d %d\n", fileno(f) == more, fflush_unlocked(f)); rewind(f);
    char b[9] = ""; printf("%zu %s %d", fread_unlocked(b, 1, 9, f), b, feof(f)); clearerr(f); printf(" %d\n", feof(f));
    printf("%d %d %d\n", fclose(f), unlink(name), unlink(other));
    putc_unlocked('x', stdout); putchar_unlocked('\n');
    printf("%ld %d %ld\n", sysconf(_SC_PAGESIZE), getpagesize(), sysconf(_SC_CLK_TCK));
    if (fclose(stdout)) abort();
}
