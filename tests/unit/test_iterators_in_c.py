"""An iteration over iterators in C reads all containers behind them; a call at the end of an object is part of a
step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.test_native_objects import explored

from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation

IMPORTS = "import array, collections, ctypes, functools, io, itertools, types, weakref\n"


def of(source: str, tmp_path: Path) -> Outcome:
    return explored(IMPORTS + source, tmp_path)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "use",
    [
        "list(zip(thing, 'ab'))",
        "list(map(abs, thing))",
        "[each for _, each in enumerate(thing)]",
        "sorted(itertools.tee(thing)[0], key=str)",
        "[].extend(itertools.tee(thing)[0])",
        "collections.Counter(itertools.tee(thing)[0])",
        "list(itertools.chain.from_iterable([thing]))",
        "[each for each in itertools.filterfalse(None, thing)]",
        "list(map(str, itertools.filterfalse(None, thing)))",
        "[each for each in thing]",
    ],
)
@pytest.mark.parametrize("made", ["[1, 2]", "array.array('i', [1, 2])", "(ctypes.c_int * 2)(1, 2)"])
def test_what_iterators_go_over_is_read(made: str, use: str, tmp_path: Path) -> None:
    """The other thread changes the last element: there are two orders."""
    source = f"""
thing = {made}
def look():
    seen = [thing[0]]
    seen.append({use})
def change():
    thing[1] = 7
par(look, change)
"""
    assert of(source, tmp_path).executions > 1


def test_what_a_chain_takes_of_a_generator_is_untracked(tmp_path: Path) -> None:
    source = """
groups = [[1], [2]]
def look(): list(itertools.chain.from_iterable(each for each in groups))
def change(): groups[1].append(3)
par(look, change)
"""
    outcome = of(source, tmp_path)
    assert isinstance(outcome.verdict, Inconclusive)
    assert any("from_iterable" in each for each in outcome.untracked)


@pytest.mark.parametrize("made", ["types.SimpleNamespace(a=inner)", "functools.partial(len, inner)"])
def test_a_description_goes_into_what_is_described(made: str, tmp_path: Path) -> None:
    source = f"""
inner = [2]
thing = {made}
def look(): repr(thing)
def change(): inner.append(3)
par(look, change)
"""
    assert of(source, tmp_path).executions == 2


ENDS = """
class Thing: pass
done, out = [], []
box = [Thing(), Thing()]
{watch}
def end():
    {end}
def look():
    left = len(box)
    out.append((left, len(done)))
par(end, look)
assert out[0] {relation}, out
"""

REFERENCE = "watches = [weakref.ref(each, done.append) for each in box]"


@pytest.mark.parametrize(
    ("end", "relation"),
    [
        ("box.clear()", "!= (2, 0)"),
        ("box.clear()", "!= (0, 2)"),
        ("thing = box.pop(); del thing", "!= (1, 0)"),  # it looks between
        ("print(box.pop(), file=io.StringIO())", "!= (1, 0)"),
    ],
)
def test_what_is_called_at_the_end_of_an_object(end: str, relation: str, tmp_path: Path) -> None:
    source = ENDS.format(watch=REFERENCE, end=end, relation=relation)
    assert not isinstance(of(source, tmp_path).verdict, Verified)


@pytest.mark.parametrize("end", ["box.clear()", "box[0] = 1", "del box[0]", "box[:] = []"])
def test_the_end_belongs_to_the_step_that_lets_go(end: str, tmp_path: Path) -> None:
    source = ENDS.format(watch=REFERENCE, end=end, relation="not in [(0, 0), (0, 1), (1, 0)]")
    assert isinstance(of(source, tmp_path).verdict, Verified)


def test_the_function_of_a_finalizer_is_called_at_the_end(tmp_path: Path) -> None:
    watch = "watch = weakref.finalize(box[0], done.append, 1)"
    source = ENDS.format(watch=watch, end="box[0] = None", relation="!= (2, 1)")
    assert isinstance(of(source, tmp_path).verdict, (Violation, Inconclusive))


SHARED = (
    IMPORTS
    + """
data = [1, 2]
thing = map(hex, data)
seen = {}
def one(): seen[1] = next(thing, None)
def rest(): seen[2] = [*thing]
def clear():
    data.clear()
    seen[3] = [*thing]
par(one, rest, clear)
assert %s, seen
"""
)


def test_what_a_step_accesses_may_vary(tmp_path: Path) -> None:
    """An iterator that has come to its end looks at its list no more: `mcr` leaves such programs to others."""
    holds = SHARED % "sum(map(len, [[seen[1]] if seen[1] else [], seen[2], seen[3]])) <= 2"
    alone = explored(holds, tmp_path, "mcr").verdict
    assert isinstance(alone, Inconclusive)
    assert "other threads change" in alone.reason
    proved = explored(holds, tmp_path)
    assert isinstance(proved.verdict, Verified)
    assert proved.strategy in ("se-mcr", "dpor")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "outcome",
    ["[None, [], []]", "[None, ['0x1'], []]", "['0x1', ['0x2'], []]", "['0x2', ['0x1'], []]", "['0x1', [], []]"],
)
@pytest.mark.parametrize("strategy", ["auto", "dpor"])
def test_all_that_a_shared_iterator_can_give(strategy: str, outcome: str, tmp_path: Path) -> None:
    """`dfs` finds these outcomes, and one more."""
    source = SHARED % f"[seen[key] for key in sorted(seen)] != {outcome}"
    assert isinstance(explored(source, tmp_path, strategy).verdict, Violation)
