"""Unknown bytes that go through pipes, sockets, files and functions of ``string.h``: the results are those of native
programs for each of the inputs, and the paths are few.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.unit.c_programs import explored

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings

_PROGRAMS: Final = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 4

_HEAD: Final = """#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
"""

#: Ways by which ``size`` bytes of ``b`` come to ``c``.
_WAYS: Final = (
    "int p[2]; pipe(p); write(p[1], b, size); close(p[1]); read(p[0], c, size); close(p[0]);",
    "int p[2]; pipe(p); write(p[1], b, 2); write(p[1], b + 2, size - 2); read(p[0], c, 1); read(p[0], c + 1, size);"
    "close(p[0]); close(p[1]);",
    "int s[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, s); send(s[0], b, size, 0); recv(s[1], c, 3, MSG_PEEK);"
    "recv(s[1], c, size, 0);",
    "int s[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, s); struct iovec v[2] = {{{{b, 3}}, {{b + 3, size - 3}}}};"
    "struct msghdr h = {{.msg_iov = v, .msg_iovlen = 2}}; sendmsg(s[0], &h, 0); v[0].iov_base = c;"
    "v[1].iov_base = c + 3; readv(s[1], v, 2);",
    'FILE *f = fopen("data", "w"); fwrite(b, 1, size, f); fclose(f);'
    'f = fopen("data", "r"); fread(c, 1, size, f); fclose(f);',
    'int f = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600); write(f, b, size); pwrite(f, b, 2, 0);'
    "lseek(f, 0, SEEK_SET); read(f, c, size); close(f);",
    'FILE *f = fopen("data", "w+"); for (int i = 0; i < size; i++) fputc(b[i], f); rewind(f);'
    "for (int i = 0; i < size; i++) c[i] = fgetc(f); fclose(f);",
    'FILE *f = fopen("data", "w"); fwrite(b, 1, size, f); fclose(f); memset(c, 0, size);'
    'f = fopen("data", "r"); fgets(c, size + 1, f); fclose(f);',
    "int p[2]; pipe(p); write(p[1], b, size); close(p[1]); memset(c, 0, size);"
    'FILE *f = fdopen(p[0], "r"); fgets(c, size + 1, f); x += fgetc(f) == -1; fclose(f);',
    "memcpy(c, b, size);",
    "strcpy(c, b);",
    "memset(c, n, size); c[2] = m;",
    "char *d = strdup(b); strncpy(c, d, size); free(d);",
)

_STATEMENTS: Final = (
    "x += strlen(c);",
    'if (!strcmp(c, "{t}")) x += 5;',
    'if (!strncmp(c, "{t}", {k})) x += 7;',
    'x += strcmp(c, "{t}") < 0 ? 1 : 2;',
    'if (!strcasecmp(c, "{u}")) x += 9;',
    'x += memcmp(c, "{t}xx", {k}) > 0 ? 3 : 11;',
    "{{ char *at = strchr(c, {l}); x += at ? (int)(at - c) : 13; }}",
    "{{ char *at = strrchr(c, {l}); x += at ? (int)(at - c) : 13; }}",
    "{{ char *at = memchr(c, {l}, size); x += at ? (int)(at - c) : 13; }}",
    "{{ char *at = strchr(c, n); x += at ? (int)(at - c) : 13; }}",
    'x += strspn(c, "ab");',
    'x += strcspn(c, "bc");',
    "{{ char d[20]; char *at = memccpy(d, c, {l}, size); x += at ? (int)(at - d) : 17; }}",
    '{{ char d[30] = "ab"; strcat(d, c); x += strlen(d) + d[3]; }}',
    '{{ char d[30]; strcpy(d, c); char *r, *w = strtok_r(d, "b", &r); if (w) x += w[0] + strlen(w); }}',
    "if (c[1] > {l}) x += c[2]; else x -= c[1];",
    "switch (c[2]) {{ case 'a': x += 1; break; case 'b': x += 2; break; default: x += 3; }}",
    "x += c[1] ^ c[{k}];",
    'if (strstr(c, "{u}")) x += 19;',
)


def _body(draw: random.Random) -> str:
    def text(letters: str, most: int) -> str:
        return "".join(draw.choice(letters) for _ in range(draw.randint(1, most)))

    begin = draw.choice(('"x##b"', '"##"', '"a##ba"', '"#b#ab"'))
    lines = [f"int size = sizeof {begin} - 1, x = 0; char b[20] = {begin}, c[40] = {{0}};"]
    marks = [at for at, letter in enumerate(begin[1:-1]) if letter == "#"]
    lines += [f"b[{marks[0]}] = n; b[{marks[1]}] = m;"]
    ways = [each for each in _WAYS if len(begin) > 6 or "size - 3" not in each]
    lines.append("{ " + draw.choice(ways).format() + " }")
    for _ in range(draw.randint(2, 4)):
        letter = draw.choice(("'a'", "'b'", "'c'", "0"))
        lines.append(
            draw.choice(_STATEMENTS).format(t=text("abx", 4), u=text("abAB", 2), k=draw.randint(1, 3), l=letter)
        )
    return "int compute(unsigned char n, unsigned char m) { " + "\n".join([*lines, "return x & 63;"]) + " }\n"


#: The values of inputs that native programs are given; those of checks are restricted to them.
_LETTERS: Final = tuple(map(ord, "\0abcA\n"))


def _native(folder: Path, body: str) -> dict[tuple[int, int], int]:
    """The result for each pair of inputs, each computed in a process of its own."""
    source, program = folder / "native.c", folder / "native"
    values = ", ".join(map(str, _LETTERS))
    source.write_text(
        f"{_HEAD}#include <sys/wait.h>\n{body}int main(void) {{ int v[] = {{{values}}};"
        f"for (int i = 0; i < {len(_LETTERS)}; i++) for (int j = 0; j < {len(_LETTERS)}; j++) {{"
        " if (!fork()) _exit(compute(v[i], v[j])); int status; wait(&status);"
        ' printf("%d %d %d\\n", v[i], v[j], WEXITSTATUS(status));'
        " fflush(stdout); } }"
    )
    command = [sys.executable, "-m", "ziglang", "cc", "-O0", "-fwrapv", "-w", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True, cwd=folder, timeout=60).stdout
    rows = [tuple(map(int, line.split())) for line in output.splitlines()]
    return {(n, m): result for n, m, result in rows}


@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_the_results_are_those_of_native_programs(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    body = _body(draw)
    native = _native(tmp_path, body)
    occurring = sorted(set(native.values()))
    wanted = {draw.choice(occurring), draw.choice([each for each in range(64) if each not in occurring])}
    allowed = " | ".join(f"({{0}} == {each})" for each in _LETTERS)
    for result in wanted:
        source = tmp_path / f"checked{result}.c"
        source.write_text(
            f"{_HEAD}{body}extern void __VERIFIER_assume(int);\nvoid *idle(void *p) {{ return p; }}\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, idle, 0);"
            "unsigned char n = __VERIFIER_nondet_uchar(), m = __VERIFIER_nondet_uchar();"
            f"__VERIFIER_assume({allowed.format('n')}); __VERIFIER_assume({allowed.format('m')});"
            f"assert(compute(n, m) != {result}); pthread_join(t, 0); }}"
        )
        failing = {pair for pair, value in native.items() if value == result}
        outcome = explored(CProgram(str(source), ("-fwrapv", "-w"), (), ProgramSettings()), "unfolding")
        assert isinstance(outcome.verdict, Violation if failing else Verified), (outcome.verdict, body)
        for each in outcome.found:
            inputs = dict(each.inputs)
            assert (inputs["nondet_uchar()"] & 255, inputs.get("nondet_uchar() #2", 0) & 255) in failing


_SERVER: Final = """
extern void klee_make_symbolic(void *, unsigned long, const char *);
int ends[2];
void *serve(void *p) {
    char line[20]; FILE *in = fdopen(ends[1], "r");
    fgets(line, 20, in);
    if (!strcmp(line, "get\\n")) assert(line[1] != 'e');
    else if (!strncmp(line, "set", 3)) return 0;
    return 0;
}
int main(void) {
    char packet[4]; pthread_t t;
    klee_make_symbolic(packet, 3, "packet"); packet[3] = '\\n';
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&t, 0, serve, 0);
    write(ends[0], packet, 4); shutdown(ends[0], SHUT_WR);
    pthread_join(t, 0);
}
"""


def test_a_packet_is_parsed_in_another_thread(tmp_path: Path) -> None:
    """One path for each command, and for each place where the line or the text may end."""
    source = tmp_path / "server.c"
    source.write_text(_HEAD + _SERVER)
    outcome = explored(CProgram(str(source), ("-w",), (), ProgramSettings()), "unfolding")
    (failing,) = outcome.found
    assert bytes(dict(failing.inputs)[f"packet[{at}]"] & 255 for at in range(3)) == b"get"
    assert outcome.complete
    assert outcome.paths is not None
    assert outcome.paths <= 20
