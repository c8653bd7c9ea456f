"""Random C programs with every kind of control flow: nested branches and loops of all three kinds, `break`,
`continue` and `goto`, switches, recursion, calls through pointers, callbacks from the library, `setjmp`, inputs,
threads that race, and ends of all kinds.

Every loop is bounded and every call too, so that a program ends; which way it goes depends on constants, on arguments,
on shared memory, or on results of the library. Programs of one number are the same everywhere.
"""

from __future__ import annotations

import random
from typing import Final

_HEAD: Final = """\
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int shared[8] = {3, 1, 4, 1, 5, 9, 2, 6};
_Atomic int turns;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned state = 7;
static __thread int fuel = 60;
static __thread jmp_buf *landing;
static unsigned next(void) { state = state * 1103515245u + 12345u; return state >> 16; }
static int three(int n) { return n % 3; }
static int sum_to(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 3; return s; }
static int peek(int n) { return n < 1 ? shared[n & 7] : (shared[n & 7] & 1) + peek(n - 1) * 2 + peek(n - 2); }
static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x == y) return 0;
    return x < y ? -1 : 1;
}
"""

#: Ends of the program, put at the end of main or a thread.
_ENDS: Final = (
    *("", "", "", ""),
    "if (shared[0] & 1) exit(shared[1] & 7);",
    "if (shared[2] & 1) abort();",
    "assert(shared[3] != 17);",
    "if (shared[1] & 1) pthread_exit(0);",
    "if (shared[4] & 1) *(volatile int *)0 = 1;",
    "if (shared[5] & 1) _exit(4);",
)


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.functions: list[str] = []
        self.labels = 0

    def program(self) -> str:
        draw = self.random
        count = draw.randint(2, 5)
        self.lines.append("typedef int function(int, int);")
        for number in range(count):
            self.lines.append(f"int f{number}(int a, int b);")
        self.lines.append(f"function *table[] = {{{', '.join(f'f{draw.randrange(count)}' for _ in range(3))}}};")
        for number in range(count):
            self.functions = [f"f{each}" for each in range(number + 1)]
            linkage = draw.choice(["", "__attribute__((noinline)) "])
            self.lines.append(f"{linkage}int f{number}(int a, int b) {{")
            self.lines.append("    if (fuel-- <= 0) return a;")
            self.lines.append("    int x = a, y = b, z = 0;")
            self.block(1, 0, ["x", "y", "z", "a", "b"])
            self.lines.append("    return x + y * 3 + z;")
            self.lines.append("}")
        threads = draw.randint(0, 3)
        self.functions = [f"f{each}" for each in range(count)]
        for number in range(threads):
            self.lines.append(f"void *t{number}(void *p) {{")
            self.lines.append(f"    int x = (int)(long)p, y = {draw.randint(0, 9)}, z = 1; state = x + 3;")
            self.block(1, 0, ["x", "y", "z"])
            self.lines.append(f"    {draw.choice(_ENDS)}")
            self.lines.append("    return (void *)(long)(x + y + z);")
            self.lines.append("}")
        self.lines.append("int main(int argc, char **argv) {")
        self.lines.append("    int x = argc, y = 2, z = 3; pthread_t t[4];")
        if draw.random() < 0.2:
            self.lines.append("    atexit((void (*)(void))tick);")
            self.lines.insert(0, "static void tick(void) { if (shared[0] > 2) shared[0]--; }")
        for number in range(threads):
            self.lines.append(f"    pthread_create(&t[{number}], 0, t{number}, (void *){draw.randint(0, 9)}L);")
        self.block(1, 0, ["x", "y", "z"])
        for number in range(threads):
            if draw.random() < 0.8:
                self.lines.append(f"    pthread_join(t[{number}], 0);")
        self.lines.append(f"    {draw.choice(_ENDS)}")
        self.lines.append("    return (x + y + z) & 15;")
        self.lines.append("}")
        return _HEAD + "\n".join(self.lines) + "\n"

    def block(self, depth: int, loops: int, names: list[str]) -> None:
        for _ in range(self.random.randint(1, 4 if depth < 3 else 2)):
            self.statement(depth, loops, names)

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def value(self, names: list[str]) -> str:
        draw = self.random
        return draw.choice(
            [
                draw.choice(names),
                draw.choice(names),
                str(draw.randint(0, 9)),
                f"shared[{draw.randint(0, 7)}]",
                f"({draw.choice(names)} + {draw.randint(1, 5)})",
                f"({draw.choice(names)} * {draw.choice(names)})",
                "(int)(next() & 15)",
                f"three({draw.choice(names)})",
                f"sum_to({draw.randint(0, 9)})",
                f"peek({draw.choice(names)} & 3)",
            ]
        )

    def test(self, names: list[str]) -> str:
        draw = self.random
        simple = f"{self.value(names)} {draw.choice(['<', '>', '==', '!=', '<=', '&'])} {self.value(names)}"
        if draw.random() < 0.2:
            return f"({simple}) {draw.choice(['&&', '||'])} ({self.value(names)} > {draw.randint(0, 20)})"
        return simple

    def statement(self, depth: int, loops: int, names: list[str]) -> None:
        draw = self.random
        kinds = ["assign", "assign", "share", "call", "pointer", "lock", "library"]
        if depth < 5:
            kinds += ["if", "if", "else", "for", "for", "while", "do", "switch", "goto", "jump", "known"]
        if loops:
            kinds += ["break", "continue"]
        getattr(self, f"_{draw.choice(kinds)}")(depth, loops, names)

    def _assign(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"{self.random.choice(names[:3])} {self.random.choice(['=', '+=', '^='])} {self.value(names)};")

    def _share(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"shared[{self.random.randint(0, 7)}] += {self.value(names)};")

    def _call(self, depth: int, loops: int, names: list[str]) -> None:
        called = self.random.choice(self.functions)
        self.put(depth, f"{self.random.choice(names[:3])} = {called}({self.value(names)}, {self.value(names)});")

    def _pointer(self, depth: int, loops: int, names: list[str]) -> None:
        at = f"({self.value(names)}) & 1"
        self.put(depth, f"{self.random.choice(names[:3])} += table[{at}]({self.value(names)}, {self.value(names)});")

    def _lock(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, "pthread_mutex_lock(&m);")
        self.put(depth, f"shared[{self.random.randint(0, 7)}] ^= {self.value(names)};")
        self.put(depth, f"if (shared[{self.random.randint(0, 7)}] & 1) turns++;")
        self.put(depth, "pthread_mutex_unlock(&m);")

    def _library(self, depth: int, loops: int, names: list[str]) -> None:
        draw = self.random
        name = self.fresh()
        self.put(
            depth,
            draw.choice(
                [
                    f"{{ int {name}[5] = {{5, {draw.choice(names)}, 3, 1, 4}}; qsort({name}, 5, 4, compare); "
                    f"x += {name}[{draw.randint(0, 4)}]; }}",
                    f'if (getenv("HOME") && {self.test(names)}) y++;',
                    "{ struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); if (now.tv_nsec & 64) z++; }",
                    f'{{ char {name}[20]; snprintf({name}, 20, "%d", x); if (strlen({name}) > 1) x++; }}',
                    "if (rand() & 1) x++;",
                ]
            ),
        )

    def _if(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"if ({self.test(names)}) {{")
        self.block(depth + 1, loops, names)
        self.put(depth, "}")

    def _else(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"if ({self.test(names)}) {{")
        self.block(depth + 1, loops, names)
        self.put(depth, "} else {")
        self.block(depth + 1, loops, names)
        self.put(depth, "}")

    def _for(self, depth: int, loops: int, names: list[str]) -> None:
        name, draw = self.fresh(), self.random
        most = draw.choice([str(draw.randint(1, 5)), str(draw.randint(1, 5)), f"(({self.value(names)}) & 7)"])
        self.put(depth, f"for (int {name} = 0; {name} < {most}; {name}++) {{")
        self.block(depth + 1, loops + 1, [*names, name])
        self.put(depth, "}")

    def _while(self, depth: int, loops: int, names: list[str]) -> None:
        name = self.fresh()
        self.put(depth, f"int {name} = 0;")
        self.put(depth, f"while ({name}++ < {self.random.randint(1, 6)} && ({self.test(names)})) {{")
        self.block(depth + 1, loops + 1, [*names, name])
        self.put(depth, "}")

    def _do(self, depth: int, loops: int, names: list[str]) -> None:
        name = self.fresh()
        self.put(depth, f"int {name} = 0;")
        self.put(depth, "do {")
        self.block(depth + 1, loops + 1, [*names, name])
        self.put(depth, f"}} while ({name}++ < {self.random.randint(0, 4)} && {self.value(names)} > 2);")

    def _known(self, depth: int, loops: int, names: list[str]) -> None:
        """A loop that constants decide, with a branch on its counter."""
        name, draw = self.fresh(), self.random
        self.put(depth, f"for (int {name} = {draw.randint(0, 3)}; {name} < {draw.randint(3, 9)}; {name}++) {{")
        self.put(depth + 1, f"if ({name} % {draw.randint(2, 3)} == 0) x += {name};")
        if draw.random() < 0.3:
            self.put(depth + 1, f"if (shared[{draw.randint(0, 7)}] == {draw.randint(0, 9)}) break;")
        self.put(depth, "}")

    def _switch(self, depth: int, loops: int, names: list[str]) -> None:
        draw = self.random
        self.put(depth, f"switch (({self.value(names)}) & 7) {{")
        for number in draw.sample(range(8), draw.randint(1, 6)):
            self.put(depth, f"case {number}:")
            self.block(depth + 1, loops, names)
            if draw.random() < 0.7:
                self.put(depth + 1, "break;")
        if draw.random() < 0.5:
            self.put(depth, "default:")
            self.put(depth + 1, "z--;")
        self.put(depth, "}")

    def _goto(self, depth: int, loops: int, names: list[str]) -> None:
        self.labels += 1
        label, name = f"label{self.labels}", self.fresh()
        self.put(depth, f"int {name} = 0;")
        self.put(depth, f"{label}: ;")
        self.block(depth + 1, 0, names)
        self.put(depth, f"if ({name}++ < {self.random.randint(1, 3)} && ({self.test(names)})) goto {label};")

    def _jump(self, depth: int, loops: int, names: list[str]) -> None:
        name = self.fresh()
        self.put(depth, f"{{ jmp_buf {name}, *old = landing; volatile int seen = 0; landing = &{name};")
        self.put(depth, f"if (setjmp({name}) == 0) {{")
        self.block(depth + 1, 0, names[:3])
        self.put(depth + 1, f"if ({self.test(names)} && !seen) {{ seen = 1; longjmp(*landing, 1); }}")
        self.put(depth, "} else {")
        self.put(depth + 1, "z++;")
        self.put(depth, "}")
        self.put(depth, "landing = old; }")

    def _break(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"if ({self.test(names)}) break;")

    def _continue(self, depth: int, loops: int, names: list[str]) -> None:
        self.put(depth, f"if ({self.test(names)}) continue;")


def drawn(seed: int) -> str:
    """The program of a number."""
    return _Writer(seed).program()
