"""Files of C programs: each execution has its own, and steps on them are explored."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings

HEAD = """
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
"""

READING = """
int main() {
    char line[100]; struct stat s; char b[10];
    FILE *in = fopen("two.txt", "r");
    assert(in && fgets(line, 100, in) && !strcmp(line, "first\\n"));
    assert(fgetc(in) == 's' && ftell(in) == 7 && fgets(line, 100, in) && !strcmp(line, "econd\\n"));
    assert(!fgets(line, 100, in) && feof(in) && fseek(in, 0, SEEK_SET) == 0 && fread(b, 1, 5, in) == 5);
    assert(!memcmp(b, "first", 5) && fclose(in) == 0);
    assert(stat("two.txt", &s) == 0 && s.st_size == 13 && S_ISREG(s.st_mode));
    assert(stat("none.txt", &s) == -1 && errno == ENOENT && stat(".", &s) == 0 && S_ISDIR(s.st_mode));
    int fd = open("two.txt", O_RDONLY);
    assert(lseek(fd, -3, SEEK_END) == 10 && read(fd, b, 10) == 3 && !memcmp(b, "nd\\n", 3) && read(fd, b, 10) == 0);
    assert(pread(fd, b, 5, 6) == 5 && !memcmp(b, "secon", 5) && write(fd, b, 1) == -1);
    char *m = mmap(0, 13, PROT_READ, MAP_PRIVATE, fd, 0);
    assert(m[0] == 'f' && munmap(m, 13) == 0 && close(fd) == 0 && close(fd) == -1 && errno == EBADF);
}
"""

WRITING = """
static int files, folders;
static int each(const char *path, const struct stat *s, int kind) { kind == FTW_D ? folders++ : files++; return 0; }
int main() {
    char line[100];
    FILE *f = fopen("new.txt", "w");
    fprintf(f, "%d %s\\n", 7, "seven"); fputs("more", f); fputc('!', f); fwrite("ab", 1, 2, f); fclose(f);
    f = fopen("new.txt", "a"); fputs(".", f); fclose(f);
    f = fopen("new.txt", "r");
    assert(fgets(line, 100, f) && !strcmp(line, "7 seven\\n") && fgets(line, 100, f) && !strcmp(line, "more!ab."));
    fclose(f);
    assert(open("new.txt", O_CREAT | O_EXCL | O_WRONLY, 0600) == -1 && errno == EEXIST);
    assert(mkdir("sub", 0700) == 0 && rename("new.txt", "sub/new.txt") == 0 && access("new.txt", F_OK) == -1);
    assert(rmdir("sub") == -1 && errno == ENOTEMPTY);
    assert(ftw(".", each, 8) == 0 && files == 2 && folders == 2);
    assert(unlink("sub/new.txt") == 0 && rmdir("sub") == 0 && access("sub", F_OK) == -1);
    int n; unsigned long u; char w[9];
    assert(sscanf(" -12, ff abc", "%d, %lx %8s", &n, &u, w) == 3 && n == -12 && u == 255 && !strcmp(w, "abc"));
    assert(sscanf("x", "%d", &n) == 0 && sscanf("", "%d", &n) == -1 && sscanf("5%7", "%d%%%d", &n, &n) == 2 && n == 7);
}
"""

CREATING = """
static void *create(void *text) {
    int fd = open("lock", O_CREAT | O_WRONLY HOW, 0600);
    if (fd >= 0) { write(fd, text, 1); close(fd); }
    return 0;
}
int main() {
    pthread_t t[2]; char b[2];
    pthread_create(&t[0], 0, create, "a"); pthread_create(&t[1], 0, create, "b");
    pthread_join(t[0], 0); pthread_join(t[1], 0);
    int fd = open("lock", O_RDONLY);
    assert(read(fd, b, 2) == 1 && CHECK);
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "two.txt").write_text("first\nsecond\n")
    monkeypatch.chdir(inside)
    return tmp_path


def _explorer(folder: Path, text: str, strategy: str = "dpor") -> Explorer:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    explorer = Explorer(CProgram(str(path), (), (), ProgramSettings()), strategy, stop_at_first=False)
    explorer.run()
    return explorer


@pytest.mark.parametrize("text", [READING, WRITING], ids=["reading", "writing"])
def test_functions_of_the_library(folder: Path, text: str) -> None:
    outcome = _explorer(folder, text).outcome
    assert outcome is not None
    assert isinstance(outcome.verdict, Verified), outcome.verdict
    assert sorted(each.name for each in Path().iterdir()) == ["two.txt"]


@pytest.mark.parametrize("strategy", ["dpor", "se-mcr", "dfs"])
def test_threads_that_create_a_file(folder: Path, strategy: str) -> None:
    either = CREATING.replace("HOW", "| O_EXCL").replace("CHECK", "(b[0] == 'a' || b[0] == 'b')")
    outcome = _explorer(folder, either, strategy).outcome
    assert outcome is not None
    assert isinstance(outcome.verdict, Verified), outcome.verdict
    for letter in "ab":
        only = CREATING.replace("HOW", "| O_EXCL").replace("CHECK", f"b[0] == '{letter}'")
        outcome = _explorer(folder, only, strategy).outcome
        assert outcome is not None
        assert isinstance(outcome.verdict, Violation)
    assert not Path("lock").exists()
