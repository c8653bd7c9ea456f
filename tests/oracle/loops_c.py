"""Draws C programs with loops, for native code to be held to the Python way: arithmetic on globals, the heap, arrays on
the stack and structures, in functions that call each other, with threads beside them.

Some have faults: indices that leave their object, variables without a value, divisors that are zero, memory that is
freed, recursion without an end, more passes than are allowed.
"""

from __future__ import annotations

import random

_TYPES = ("int", "unsigned", "long", "unsigned char", "short", "unsigned long")

_HEAD = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int key; struct node *next; double weight; short tag; };
int table[64]; long totals[8]; const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19}; static unsigned char bytes[40];
float few[4]; struct node *first;
int shared, guarded; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned mix(unsigned x) { x ^= x << 13; x ^= x >> 17; return x ^ x << 5; }
static long fold(long a, int n) {
  long s = a; for (int i = 0; i < n; i++) s = s * 31 + primes[i & 7] + (s >> 7); return s; }
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1) + (n < 8 ? depth(n - 3) : 0); }
static void fill(int *to, int n, unsigned seed) {
  for (int i = 0; i < n; i++) { seed = mix(seed); to[i] = seed % 1000; } }
static int find(const int *in, int n, int wanted) {
  for (int i = 0; i < n; i++) if (in[i] == wanted) return i; return -1; }
static void put(int key) {
  struct node *n = malloc(sizeof *n); n->key = key; n->next = first; n->weight = key / 3.0; first = n; }
static double mean(const double *in, int n) { double s = 0; for (int i = 0; i < n; i++) s += in[i]; return s / n; }
static int divide(int a, int b) { int r = 0; for (int i = 0; i < 3; i++) r += a / (b - i); return r; }
"""

_FAULTS = (
    "  table[(int)(a % 3) * 64] = 1;",
    "  { int never; if (a & 1) never = 3; for (int i = 0; i < 5; i++) b += never; }",
    "  for (int i = 0; i < 9; i++) a += 100 / (5 - i);",
    "  { int *gone = malloc(8); *gone = 1; for (int i = 0; i < 3; i++) { b += *gone; if (i == (a & 3)) free(gone); } }",
    "  for (int i = 0; i < 70; i++) b += table[i];",
    "  { int *raw = malloc(40); for (int i = 0; i < 10; i++) { if (i != (a & 7)) raw[i] = i; }"
    " for (int i = 0; i < 10; i++) b += raw[i]; free(raw); }",
    "  b += divide(a, a & 3);",
    "  for (long i = 0; ; i++) b += i;",
    "  b += depth(30 + (int)(a & 1) * 20000);",
    "  { int *none = 0; for (int i = 0; i < 4; i++) if (i == 2) b += *none; }",
    "  { const int *p = primes; for (int i = 0; i < 4; i++) ((int *)p)[i] = 3; }",
)


def random_loops(seed: int) -> str:
    """Source text of a program, by number."""
    rng = random.Random(seed)
    threads = rng.choice((0, 1, 2, 2))
    works = "\n".join(
        f"void *work{number}(void *given) {{ long a = {rng.randrange(1000)}, b = (long)given;\n"
        + "\n".join(_statement(rng, alone=False) for _ in range(rng.randrange(1, 4)))
        + "\n  pthread_mutex_lock(&lock); guarded += (int)(a ^ b) & 15; pthread_mutex_unlock(&lock);"
        + "\n  return (void *)b; }"
        for number in range(threads)
    )
    body = [_statement(rng, alone=True) for _ in range(rng.randrange(1, 5))]
    if rng.random() < 0.5:
        body.insert(rng.randrange(len(body) + 1), rng.choice(_FAULTS))
    body += [f"  pthread_t t{n}; pthread_create(&t{n}, 0, work{n}, (void *)(long){n + 3});" for n in range(threads)]
    if threads:
        body.append(_statement(rng, alone=False))
    body += [f"  {{ void *r; pthread_join(t{n}, &r); a += (long)r; }}" for n in range(threads)]
    body += [_statement(rng, alone=True) for _ in range(rng.randrange(2))]
    body.append('  printf("%ld %ld %d %d %ld %f %d\\n", a, b, shared, guarded, totals[3], few[2], bytes[7]);')
    start = f"int main(void) {{\n  long a = {rng.randrange(1 << 20)}, b = {rng.randrange(100)};\n"
    return f"{_HEAD}{works}\n{start}" + "\n".join(body) + "\n  return 0;\n}\n"


def _statement(rng: random.Random, *, alone: bool) -> str:
    count, number = rng.choice((3, 10, 40, 300)), rng.randrange(1, 9)
    type_ = rng.choice(_TYPES)
    statements = [
        f"  for (int i = 0; i < {count}; i++) a = mix(a + i) + fold(b, i & 7);",
        f"  {{ {type_} s = {number}; for (int i = 0; i < {count}; i++) {{ s = s * {number} + i; if (s & 1) continue;"
        f" s ^= (s >> 3); if (s == 77) break; }} b += s; }}",
        f"  {{ double d = {number}; for (int i = 0; i < {count}; i++) d = d / 3 + i * 0.5 - (float)d; b += (long)d; }}",
        f"  b += depth({number});",
        f"  {{ int i = 0; do {{ switch ((a + i) % 5) {{ case 0: b += i; break; case 3: b ^= 5; default: a += 3; }}"
        f" }} while (++i < {count}); }}",
        f"  {{ unsigned long s = a; for (int i = 0; i < {count}; i++) {{ s = s << (i & 63) | s >> (64 - (i & 63)) % 64;"
        f" for (int j = 0; j < {number}; j++) s += (signed char)s / {number}; }} b += s & 1023; }}",
        f"  {{ int own[16]; for (int i = 0; i < 16; i++) own[i] = i * {number}; for (int i = 0; i < {count}; i++)"
        f" own[i & 15] += own[(i * 7) & 15]; b += own[3]; }}",
        f"  {{ struct node n = {{{number}, 0, 1.5, 2}}; for (int i = 0; i < {count % 50}; i++) {{ n.key += n.tag;"
        f" n.weight *= 1.01; }} b += n.key + (long)n.weight; }}",
    ]
    if alone:
        statements += [
            f"  fill(table, 64, a); b += find(table, 64, table[{number * 5}]);",
            f"  for (int i = 0; i < {count}; i++) totals[i & 7] += table[i & 63] * (long)bytes[i % 40];",
            f"  for (int i = 0; i < {count % 60}; i++) put(i * {number}); for (struct node *n = first; n; n = n->next)"
            " { b += n->key; a += (long)n->weight; }",
            "  while (first) { struct node *n = first; first = n->next; free(n); }",
            f"  {{ double *many = malloc({count} * sizeof *many); for (int i = 0; i < {count}; i++) many[i] = i / 7.0;"
            f" b += (long)(mean(many, {count}) * 100); free(many); }}",
            f"  for (int i = 0; i < {count}; i++) {{ few[i & 3] += few[(i + 1) & 3] * 0.5f + i;"
            f" bytes[i % 40] = i * 7; }}",
            f"  memset(bytes, {number}, sizeof bytes); for (int i = 0; i < {count};"
            f" i++) bytes[i % 40] ^= bytes[(i + 3) % 40];",
        ]
    else:
        statements += [
            f"  for (int i = 0; i < {count % 30}; i++) shared += i;",
            f"  for (int i = 0; i < {number}; i++) {{ for (int j = 0; j < {count}; j++) a = mix(a);"
            f" shared ^= (int)a & 7; }}",
            f"  for (int i = 0; i < {number}; i++) {{ pthread_mutex_lock(&lock); guarded += fold(i, {number}) & 3;"
            " pthread_mutex_unlock(&lock); }",
        ]
    return rng.choice(statements)
