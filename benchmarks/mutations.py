"""Programs changed at random: `verified` is held to real preemptive threads, as for `hostile`.

    make bench ARGS="mutations --programs 3000 --jobs 2"
    MAZURKA_PROGRAMS=FOLDER make bench ARGS="mutations --programs 500"     those of a folder with `correct/`

A drawn program (:mod:`benchmarks.native_programs`) has the idioms that its kits have. Here the programs of
`tests/hostile/correct` are changed: a lock goes, a statement is left out, repeated or moved, a method becomes one like
it, a name another, or something is done with an object on the way. The result need not make sense. Where it is called
`verified`, real threads with delays must not make it fail. Programs whose failure has nothing to do with threads (a
port in use, random numbers that are equal) are for the reader to leave out; the others are false verdicts. They are
kept as files in the folder of the environment variable MAZURKA_KEEP, if there is one.

Cost: a second for each program.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
import multiprocessing
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from tests.oracle.preemptive import hunt

from benchmarks.hostile import KEEP, PROGRAMS, SAMPLES
from benchmarks.native_programs import imported
from benchmarks.row import Row, Settings
from benchmarks.verdicts import CRASH, VERIFIED, get_ready, said_of

_SHARE: Final = 20
_TRIALS: Final = 40
_HUNT_SECONDS: Final = 2.0

#: Methods that may stand for one another.
_ALIKE: Final = [
    frozenset(line.split())
    for line in """append extend appendleft insert remove add discard
        pop popleft popitem clear
        get setdefault pop __getitem__ __contains__
        update setdefault clear copy
        keys values items
        sort reverse copy
        union intersection difference symmetric_difference
        intersection_update difference_update update
        read readline readlines getvalue
        write writelines
        set clear is_set wait
        put put_nowait
        get get_nowait qsize empty
        strip upper lower split
        notify notify_all""".splitlines()
]

#: Uses of an object on its way.
_USES: Final = """
    list({}) tuple({}) sorted({}) set({}) str({}) repr({}) copy.copy({}) copy.deepcopy({}) dict({}) bool({})
    [*{}] {**{}} list(iter({})) list(map(str,{})) vars({}) sum({}) max({}) len({}) f'{{}}' json.dumps({})
    enumerate({}) next(iter({})) {}==() any({}) hash({}) dir({}) list(zip({},{})) list(reversed({}))
    collections.Counter({}) type({}) collections.deque({}) itertools.chain({}) {}.copy()
    operator.length_hint({}) getattr({},'x',0) memoryview({}) bytes({}) pprint.pformat({}) heapq.nsmallest(1,{})
    statistics.mean({}) array.array('i',{}) pickle.loads(pickle.dumps({}))
""".split()
_MODULES: Final = "array collections copy heapq itertools json operator pickle pprint statistics".split()
_SEEN: Final = "seen_on_the_way"


class Verdict(NamedTuple):
    """The verdict on a program: its number, the name of the one that it was made of, and why it is wrong, or ""."""

    number: int
    name: str
    verdict: str
    wrong: str


def measure(settings: Settings) -> Iterator[Row]:
    folder = Path(os.environ.get(PROGRAMS) or SAMPLES)
    files = sorted(map(str, (folder / "correct").glob("*.py")))
    with ProcessPoolExecutor(
        settings.jobs, multiprocessing.get_context("spawn"), get_ready, ((*imported(), *_MODULES),)
    ) as pool:
        shares = pool.map(share, itertools.repeat(files), range(0, settings.programs, _SHARE))
        found = list(itertools.chain.from_iterable(shares))
    verified = sum(each.verdict == VERIFIED for each in found)
    for kind, figure in ((VERIFIED, "mutated: verified, fail on real threads"), (CRASH, "mutated: the checker fails")):
        wrong = [f"{each.number} ({each.name})" for each in found if each.verdict == kind and each.wrong]
        yield Row(figure, "0", str(len(wrong)), f"of {len(found):,}", " ".join(wrong[:_SHARE]), not wrong)
    yield Row("mutated: verified", "", f"{verified:,}", f"of {len(found):,}")


def share(files: list[str], first: int, count: int = _SHARE) -> list[Verdict]:
    """The verdicts on the programs from a number on, in a process that is ready (:func:`get_ready`)."""
    found = []
    with tempfile.TemporaryDirectory(prefix="mutated-") as folder:
        file = Path(folder, "program.py")
        for number in range(first, first + count):
            path, text = mutated(files, number)
            file.write_text(text)
            found.append(_hold(number, path, text, file))
    return found


def _hold(number: int, path: str, text: str, file: Path) -> Verdict:
    include = re.match(r"# include: (.+)", Path(path).read_text())
    said = said_of(file, **({"include": tuple(include[1].split())} if include else {}))
    wrong = ""
    if said.verdict == CRASH:
        wrong = "; ".join(said.reasons)
    elif said.verdict == VERIFIED and (failed := hunt(file, _TRIALS, until=_HUNT_SECONDS)) is not None:
        wrong = f"seed {failed.seed}: {failed.failure}"
    if wrong and (kept := os.environ.get(KEEP)):
        place = Path(kept, "mutated")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}_{Path(path).name}").write_text(f"{text}\n# {said.verdict}; {wrong}\n")
    return Verdict(number, Path(path).stem, said.verdict, wrong)


# -- changes ----------------------------------------------------------------------------------------------------------


def mutated(files: list[str], number: int) -> tuple[str, str]:
    """The program of a number: the file that it is made of, and its text."""
    chance = random.Random(number)
    path = chance.choice(files)
    text = Path(path).read_text()
    for _ in range(chance.choice((1, 2, 2, 3))):
        tree = ast.parse(text)
        chance.choices(list(_CHANGES), list(_CHANGES.values()))[0](tree, chance)
        with contextlib.suppress(SyntaxError, ValueError):
            changed = ast.unparse(ast.fix_missing_locations(tree))
            compile(changed, path, "exec", dont_inherit=True)
            text = changed
    return path, text


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    return [each.body for each in _functions(tree)]


def _globals(tree: ast.Module) -> list[str]:
    """The names that the module's own statements assign."""
    assigned = [each for each in tree.body if isinstance(each, ast.Assign)]
    names = (name for each in assigned for name in ast.walk(each) if isinstance(name, ast.Name))
    return sorted({name.id for name in names if isinstance(name.ctx, ast.Store)})


def _unlock(tree: ast.Module, chance: random.Random) -> None:
    """Leave out a ``with``, but not its body."""
    found = [
        (body, place)
        for function in _functions(tree)
        for each in ast.walk(function)
        if isinstance(body := getattr(each, "body", None), list)
        for place, statement in enumerate(body)
        if isinstance(statement, ast.With)
    ]
    if found:
        body, place = chance.choice(found)
        body[place : place + 1] = body[place].body


def _rearrange(tree: ast.Module, chance: random.Random) -> None:
    """Leave out, repeat or move a statement of a function."""
    bodies = [each for each in _bodies(tree) if len(each) > 1]
    if not bodies:
        return
    body = chance.choice(bodies)
    place = chance.randrange(len(body) - 1)
    match chance.choice(("leave out", "repeat", "move")):
        case "leave out":
            del body[place]
        case "repeat":
            body.insert(place, copy.deepcopy(chance.choice(body)))
        case _:
            body[place], body[place + 1] = body[place + 1], body[place]


def _call_another(tree: ast.Module, chance: random.Random) -> None:
    """Call a method like the one that was called."""
    found = [
        (each, others)
        for each in ast.walk(tree)
        if isinstance(each, ast.Attribute)
        and (others := sorted({name for alike in _ALIKE if each.attr in alike for name in alike} - {each.attr}))
    ]
    if found:
        node, others = chance.choice(found)
        node.attr = chance.choice(others)


def _use(tree: ast.Module, chance: random.Random) -> None:
    """Do something with an object on the way."""
    names, bodies = _globals(tree), _bodies(tree)
    if not names or not bodies:
        return
    use = chance.choice(_USES).replace("{}", chance.choice(names))
    body = chance.choice(bodies)
    body.insert(chance.randrange(len(body) + 1), *ast.parse(f"{_SEEN}.append({use})").body)
    if _SEEN not in names:
        starts = [each for each in tree.body[:2] if isinstance(each, ast.Expr) or "__future__" in ast.unparse(each)]
        tree.body[len(starts) : len(starts)] = ast.parse(f"import {', '.join(_MODULES)}\n{_SEEN} = []").body


def _rename(tree: ast.Module, chance: random.Random) -> None:
    """Use another object of the module."""
    names = _globals(tree)
    found = [
        each
        for function in _functions(tree)
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in names
    ]
    if found:
        chance.choice(found).id = chance.choice(names)


def _renumber(tree: ast.Module, chance: random.Random) -> None:
    """Take another small number."""
    found = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and type(each.value) is int]
    if found:
        chance.choice(found).value = chance.choice((0, 1, 2, 3, -1))


#: The changes, by how often they are made.
_CHANGES: Final[dict[Callable[[ast.Module, random.Random], None], int]] = {
    _unlock: 35,
    _rearrange: 20,
    _call_another: 15,
    _use: 15,
    _rename: 10,
    _renumber: 5,
}
