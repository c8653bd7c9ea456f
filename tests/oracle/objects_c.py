"""Random C programs whose threads use objects in memory in all ways: alone, one after another by forks and joins, with
others, and by addresses that are stored, computed or copied in parts.
"""

from __future__ import annotations

import random

_HEAD = """
int shared[2];
int *place;
unsigned long hidden;
unsigned char parts[8];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct work { int given, result; int *extra; };

static void bump(int *at) { *at = *at * 2 + 1; }
static void swap(int *one, int *other) { int kept = *one; *one = *other; *other = kept; }
static int sum(int *from, int count) { int all = 0; while (count--) all += from[count]; return all; }
static void publish(int *at) { place = at; }
static void hide(int *at) { hidden = (unsigned long)at ^ 0x55; }
static void split(int *at) { memcpy(parts, &at, 8); }
static void use(void) { int *at = place; if (at) bump(at); }
static void seek(void) { unsigned long at = hidden; if (at) bump((int *)(at ^ 0x55)); }
static void unite(void) { int *at; memcpy(&at, parts, 8); if (at) bump(at); }
"""

#: Statements of any thread; those of the second list are visible to others.
_OWN = (
    "bump(&own[{n}]);",
    "swap(&own[0], &own[{n}]);",
    "own[{n}] += sum(own, 3);",
    "bump(node);",
    "own[{n}] = *node + args->given;",
    "args->result = sum(own, {n} + 1);",
    "bump(&args->result);",
    "own[{n}] = table[{n}];",
)
_TOGETHER = (
    "bump(&shared[{k}]);",
    "shared[{k}] = sum(own, 3);",
    "own[{n}] = shared[{k}];",
    "swap(&own[{n}], &shared[{k}]);",
    "publish(&own[{n}]);",
    "publish(node);",
    "publish(&args->result);",
    "use();",
    "hide(&own[{n}]);",
    "hide(node);",
    "seek();",
    "split(node);",
    "unite();",
    "if (args->extra) bump(args->extra);",
    "pthread_mutex_lock(&lock); bump(&shared[{k}]); pthread_mutex_unlock(&lock);",
    "free(node); node = malloc(4); *node = {n};",
)


def random_objects(seed: int) -> str:
    """The text of a program without its includes."""
    draw = random.Random(seed)
    workers = draw.choice((1, 1, 2))
    parts = [_HEAD, f"int table[3] = {{{draw.randrange(5)}, 2, 3}};\n"]
    for number in range(workers):
        body = _statements(draw, draw.randint(1, 3 if workers == 1 else 2))
        parts.append(
            f"void *worker{number}(void *given) {{\n    struct work *args = given;\n    int own[3] = {{1, 2, 3}};\n"
            f"    int *node = malloc(4);\n    *node = {number};\n{body}    return 0;\n}}\n"
        )
    make = "struct work *all = calloc(3, sizeof *all);" if draw.random() < 0.5 else "struct work all[3] = {{0, 0, 0}};"
    extra = draw.choice(("0", "0", "&own[1]", "node", "&shared[1]"))
    lines = [make, "struct work *args = &all[2];", "int own[3] = {4, 5, 6};", "int *node = malloc(4);", "*node = 7;"]
    for number in range(workers):
        lines += [f"all[{number}].given = {number + 3};", f"all[{number}].extra = {extra};", f"pthread_t t{number};"]
        lines.append(f"pthread_create(&t{number}, 0, worker{number}, &all[{number}]);")
    main = "".join(f"    {line}\n" for line in lines) + _statements(draw, draw.randint(0, 2))
    joins = "".join(f"    pthread_join(t{number}, 0);\n" for number in range(workers))
    results = ", ".join(f"all[{number}].result" for number in range(workers))
    formats = " ".join(["%d"] * (workers + 4))
    end = f'    printf("{formats}\\n", shared[0], shared[1], own[1], *node, {results});\n    return 0;\n}}\n'
    return "".join(parts) + "int main(void) {\n" + main + joins + end


def _statements(draw: random.Random, count: int) -> str:
    chosen = [draw.choice(_TOGETHER) for _ in range(count)]
    for _ in range(draw.randint(0, 3)):
        chosen.insert(draw.randint(0, len(chosen)), draw.choice(_OWN))
    return "".join(f"    {each.format(n=draw.randrange(3), k=draw.randrange(2))}\n" for each in chosen)
