"""Read-write locks of C: every strategy agrees with the enumeration of all orders, and readers commute."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram

#: The operations of threads on one of two locks; variables `x` and `y` are guarded by it.
_SECTIONS = (
    "pthread_rwlock_rdlock(&{lock}); SEEN({var}); pthread_rwlock_unlock(&{lock});",
    "pthread_rwlock_rdlock(&{lock}); pthread_rwlock_rdlock(&{lock}); SEEN({var});"
    " pthread_rwlock_unlock(&{lock}); pthread_rwlock_unlock(&{lock});",
    "pthread_rwlock_wrlock(&{lock}); {var} = {var} * 2 + 1; pthread_rwlock_unlock(&{lock});",
    "if (!pthread_rwlock_tryrdlock(&{lock})) {{ SEEN({var}); pthread_rwlock_unlock(&{lock}); }} else SEEN(9);",
    "if (!pthread_rwlock_trywrlock(&{lock})) {{ {var}++; pthread_rwlock_unlock(&{lock}); }} else SEEN(8);",
    "pthread_rwlock_rdlock(&{lock}); pthread_rwlock_wrlock(&{other}); {var2} += 3;"
    " pthread_rwlock_unlock(&{other}); pthread_rwlock_unlock(&{lock});",
)

#: Those of which two threads have less than 5,000 orders.
_SINGLE = (_SECTIONS[0], *_SECTIONS[2:5])

_TEXT = """
pthread_rwlock_t k = PTHREAD_RWLOCK_INITIALIZER, l = %s;
int x, y, seen[3];
#define SEEN(value) (seen[ME] = seen[ME] * 10 + (value))
%s
int main(void) {
    pthread_t t[%d];
    %s
    printf("%%d %%d %%d %%d %%d\\n", x, y, seen[0], seen[1], seen[2]);
    return 0;
}
"""


#: The initialisers of both kinds of locks.
_READERS_FIRST = "PTHREAD_RWLOCK_INITIALIZER"
_WRITERS_FIRST = "PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP"


def _program(
    random: Random, threads: int, sections: int, kinds: tuple[str, ...] = _SECTIONS, kind: str = _READERS_FIRST
) -> str:
    functions = []
    for me in range(threads):
        body = ""
        for _ in range(random.randint(1, sections)):
            lock, other = random.choice(["kl", "lk"])
            names = {"k": "x", "l": "y"}
            body += random.choice(kinds).format(lock=lock, other=other, var=names[lock], var2=names[other])
        functions.append(f"void *f{me}(void *a) {{\n#undef ME\n#define ME {me}\n{body} return 0; }}")
    calls = [f"pthread_create(&t[{me}], 0, f{me}, 0);" for me in range(threads)]
    calls += [f"pthread_join(t[{me}], 0);" for me in range(threads)]
    return _TEXT % (kind, "\n".join(functions), threads, " ".join(calls))


def _ends(program: CProgram, strategy: str) -> tuple[set[str], set[str]]:
    """The outputs and the kinds of failures of all executions that a search makes."""
    outputs: set[str] = set()
    execute = program.execute

    def watched(plan: object) -> object:
        run = execute(plan)  # type: ignore[arg-type]
        if not run.failures and run.divergence is None:
            outputs.add(run.output)
        return run

    program.execute = watched  # type: ignore[method-assign, assignment]
    outcome = explored(program, strategy)
    assert outcome.complete, (strategy, outcome)
    assert isinstance(outcome.verdict, Verified | Violation)
    return outputs, {each.failure.kind.value for each in outcome.found}


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(40))
def test_strategies_agree_with_all_orders(seed: int, tmp_path: Path) -> None:
    text = _program(Random(seed), 2, 1, _SINGLE, _WRITERS_FIRST if seed % 2 else _READERS_FIRST)
    expected = _ends(opened(tmp_path, text, "-D_GNU_SOURCE"), "dfs")
    for strategy in ("dpor", "unfolding", "dpor-rf", "mcr", "se-mcr"):
        found = _ends(opened(tmp_path, text, "-D_GNU_SOURCE"), strategy)
        if strategy.endswith("mcr"):  # leaves out executions in which all reads see values that they have seen
            assert found[0] <= expected[0]
            assert found[1] == expected[1], (strategy, text)
        else:
            assert found == expected, (strategy, text)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(20))
def test_strategies_agree_on_longer_programs(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = _program(random, *random.choice([(3, 1), (2, 2)]))
    expected = _ends(opened(tmp_path, text), "dpor")
    for strategy in ("unfolding", "mcr", "se-mcr"):
        found = _ends(opened(tmp_path, text), strategy)
        assert found[1] == expected[1], (strategy, text)
        assert found[0] <= expected[0]


@pytest.mark.parametrize("strategy", ["dpor", "unfolding", "mcr", "se-mcr", "dpor-rf"])
@pytest.mark.parametrize("readers", [2, 5])
def test_readers_commute(readers: int, strategy: str, tmp_path: Path) -> None:
    functions = (
        "int x; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n"
        "void *f(void *a) { pthread_rwlock_rdlock(&l); int y = x; pthread_rwlock_unlock(&l); return (void *)(long)y; }"
    )
    main = (
        f"int main(void) {{ pthread_t t[{readers}];"
        f" for (int i = 0; i < {readers}; i++) pthread_create(&t[i], 0, f, 0);"
        f" for (int i = 0; i < {readers}; i++) pthread_join(t[i], 0); return 0; }}"
    )
    outcome = explored(opened(tmp_path, f"{functions}\n{main}"), strategy)
    assert isinstance(outcome.verdict, Verified)
    assert outcome.executions == 1 + outcome.restarts


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "unfolding"])
def test_a_reader_that_writes_races_with_readers(strategy: str, tmp_path: Path) -> None:
    section = "void *f(void *a) {{ pthread_rwlock_{how}lock(&l); {what} pthread_rwlock_unlock(&l); return 0; }}"
    shared = "int x; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n"
    main = (
        "\nint main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);"
        " pthread_join(a, 0); pthread_join(b, 0); return 0; }"
    )
    racy = shared + section.format(how="rd", what="x = 1;") + main
    outcome = explored(opened(tmp_path, racy, races=True), strategy)
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.is_race
    guarded = shared + section.format(how="wr", what="x = 1;") + main
    assert isinstance(explored(opened(tmp_path, guarded, races=True), strategy).verdict, Verified)


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "unfolding"])
def test_readers_go_past_a_writer_that_waits(strategy: str, tmp_path: Path) -> None:
    text = """
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *reader(void *a) {
    pthread_rwlock_rdlock(&l); assert(!pthread_rwlock_rdlock(&l));
    pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); return 0;
}
void *writer(void *a) { pthread_rwlock_wrlock(&l); assert(pthread_rwlock_wrlock(&l) == EDEADLK);
    assert(pthread_rwlock_rdlock(&l) == EDEADLK); assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
    pthread_rwlock_unlock(&l); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, reader, 0); pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0); pthread_join(b, 0); return 0; }
"""
    assert isinstance(explored(opened(tmp_path, text), strategy).verdict, Verified)


def test_a_reader_that_writes_waits_for_ever(tmp_path: Path) -> None:
    text = """
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *both(void *a) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, both, 0); pthread_join(a, 0); return 0; }
"""
    outcome = explored(opened(tmp_path, text))
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.kind.value == "blocked"
