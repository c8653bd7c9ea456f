"""Draws C programs without threads that compute and print: whatever a compiler makes of them, they print the same.

They use integers of all sizes, signed and unsigned, floats, arrays, structures, pointers, loops, `switch` and
functions. Nothing in them is undefined: shifts stay below the size, divisors are odd, signed arithmetic is unsigned.
"""

from __future__ import annotations

import random

_TYPES = ("unsigned char", "signed char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long")

_HEAD = """#include <stdio.h>
#include <string.h>
#include <stdlib.h>
struct part { char tag; short width; int count; long total; double share; };
"""


def random_source(seed: int) -> str:
    """Source text of a program, by number."""
    return _Writer(random.Random(seed)).source()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[tuple[str, str]] = []

    def source(self) -> str:
        functions = [self.function(number) for number in range(1 + self.rng.randrange(3))]
        self.names = []
        body = [self.declaration(number) for number in range(4)]
        body += ["  int a[8]; for (int i = 0; i < 8; i++) a[i] = i * 37 - 100;"]
        body += ["  struct part p = {1, 2, 3, 4, 5.5}, *q = malloc(3 * sizeof *q); memset(q, 0, 3 * sizeof *q);"]
        body += [self.statement(len(functions)) for _ in range(8)]
        body += [f'  printf("{name} %ld\\n", (long){name});' for name, _ in self.names]
        body += ['  for (int i = 0; i < 8; i++) printf("%d ", a[i]);']
        body += ['  printf("%d %d %d %ld %.6f %ld\\n", p.tag, p.width, p.count, p.total, p.share, q[1].total);']
        return _HEAD + "\n".join(functions) + "\nint main(void) {\n" + "\n".join(body) + "\n  free(q); return 0;\n}\n"

    def function(self, number: int) -> str:
        one, other = self.rng.choice(_TYPES), self.rng.choice(_TYPES)
        self.names = [("x", one), ("y", other)]
        return f"static {self.rng.choice(_TYPES)} f{number}({one} x, {other} y) {{ return {self.expression(3)}; }}"

    def declaration(self, number: int) -> str:
        type_ = self.rng.choice(_TYPES)
        self.names.append((f"v{number}", type_))
        return f"  {type_} v{number} = ({type_}){self.rng.randrange(-(1 << 40), 1 << 40)}L;"

    def expression(self, depth: int) -> str:
        rng = self.rng
        if not depth or rng.randrange(5) == 0:
            if not self.names or rng.randrange(3) == 0:
                return str(rng.choice((0, 1, 2, 7, 255, -1, 65_537, -300, 2_147_483_647)))
            return rng.choice(self.names)[0]
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        match rng.randrange(9):
            case 0 | 1 | 2:
                return f"((unsigned long)({one}) {rng.choice('+-*&|^')} (unsigned long)({other}))"
            case 3:
                return f"((unsigned)({one}) {rng.choice(('<<', '>>'))} (({other}) & 31))"
            case 4:
                return f"((long)({one}) >> (({other}) & 63))"
            case 5:
                return f"((int)({one}) / (int)((({other}) & 1023) | 1))"
            case 6:
                return f"((int)({one}) % (int)((({other}) & 1023) | 1))"
            case 7:
                return f"(({one}) {rng.choice(('<', '<=', '==', '!=', '>'))} ({other}))"
        return f"(({rng.choice(_TYPES)})({one}) ? ({rng.choice(_TYPES)})({other}) : ~(unsigned)({one}))"

    def statement(self, functions: int) -> str:
        rng = self.rng
        name, type_ = rng.choice(self.names)
        value = self.expression(3)
        match rng.randrange(8):
            case 0:
                return f"  {name} = f{rng.randrange(functions)}({value}, {self.expression(2)});"
            case 1:
                return f"  for (unsigned i = 0; i < 5; i++) {{ if ({self.expression(2)}) continue; {name} ^= i * 3; }}"
            case 2:
                cases = " ".join(f"case {at}: {name} += {at * 11 - 7}; break;" for at in range(3))
                return f"  switch (({value}) & 3) {{ {cases} default: {name} = {value}; }}"
            case 3:
                return f"  a[({value}) & 7] = (int)({self.expression(2)}); {name} += a[({name}) & 7];"
            case 4:
                return f"  p.tag = {value}; p.width += (short)({name}); p.total ^= (long)({self.expression(2)});"
            case 5:
                return f"  p.share = (double)(int)({value}) / 7 + (float)(short)({name}); q[1].total += (long)p.share;"
            case 6:
                return f"  q[2] = p; memcpy(&q[1], &q[2], sizeof p); {name} = q[1].count + (q[1].tag < 0);"
        return f"  {name} = ({type_})({value});"
