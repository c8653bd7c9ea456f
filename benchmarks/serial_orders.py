"""Whether both orders of two operations are found, whichever of them an execution has first.

    make bench ARGS="serial-orders --jobs 2"
    make bench ARGS="serial-orders --jobs 2 --only closed"       kits by a part of their names
    make bench ARGS="serial-orders --jobs 2 --programs 100"      at most so many pairs of each kit, drawn at random

Two operations on the thing of a kit (:data:`ALL_KITS`) are done one after the other, in both orders, each time in a new
process. Where the outcomes (both results or exceptions, and a last look at the thing) differ, the order matters by
CPython's own word, and chance has no part in it. Then threads that do these operations, started in the first order,
must reach the outcome of the second one, and the other way around: the program that asserts another outcome must not be
called `verified`. The order of the start matters: an operation that fails may read less than one that succeeds.

Such a verdict is *false* if the second order has the same outcome when the checker itself runs the threads one after
the other. If not (times, random numbers and the like are another process's there), the pair is listed aside.

Cost: two hundredths of a second for each pair, and a fifth for each of two programs if its orders differ.
"""

from __future__ import annotations

import collections
import itertools
import multiprocessing
import os
import random
import re
import tempfile
import threading
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from tests.oracle.preemptive import in_child

from benchmarks import native_programs
from benchmarks.attribute_kits import ATTRIBUTE_KITS
from benchmarks.hostile import KEEP
from benchmarks.item_kits import ITEM_KITS
from benchmarks.iterator_kits import ITERATOR_KITS
from benchmarks.kits import KITS
from benchmarks.library_item_kits import LIBRARY_ITEM_KITS
from benchmarks.library_kits import LIBRARY_KITS
from benchmarks.misuse_kits import MISUSE_KITS
from benchmarks.native_programs import Parts
from benchmarks.protocol_kits import PROTOCOL_KITS
from benchmarks.row import Row, Settings
from benchmarks.verdicts import CRASH, VERIFIED, VIOLATION, get_ready, said_of

#: All kits; a number here names one.
ALL_KITS: Final = (
    *(*KITS, *LIBRARY_KITS, *MISUSE_KITS, *ATTRIBUTE_KITS),
    *(*ITEM_KITS, *LIBRARY_ITEM_KITS, *ITERATOR_KITS, *PROTOCOL_KITS),
)

_SECONDS: Final = 5.0
_SHARE: Final = 40


class Pair(NamedTuple):
    """Two operations of a kit, in the order in which their threads are started."""

    kit: int
    first: str
    second: str

    def __str__(self) -> str:
        return f"{ALL_KITS[self.kit].name}: {self.first} before {self.second}"

    def parts(self) -> Parts:
        """The program of two threads."""
        return native_programs.pair(ALL_KITS[self.kit], self.first, self.second)


class Held(NamedTuple):
    """The verdict on a pair. ``wrong`` is the outcome that it denies, or why there is no verdict; ``is_false``: the
    checker reaches that outcome when the threads run one after the other."""

    pair: Pair
    verdict: str
    wrong: str = ""
    is_false: bool = False


def measure(settings: Settings) -> Iterator[Row]:
    numbers = [number for number, kit in enumerate(ALL_KITS) if re.search(settings.only or "", kit.name)]
    with ProcessPoolExecutor(
        settings.jobs, multiprocessing.get_context("spawn"), get_ready, (native_programs.imported(),)
    ) as pool:
        pairs = [pair for number in numbers for pair in _some(pairs_of(number), settings.programs)]
        shares = [pairs[at : at + _SHARE] for at in range(0, len(pairs), _SHARE)]
        held = [each for part in pool.map(share, shares) for each in part]
    total = f"of {len(held):,}"
    false = [f"{each.pair}: {each.wrong}" for each in held if each.is_false]
    yield Row("two orders: verified, one has another outcome", "0", str(len(false)), total, "; ".join(false), not false)
    crashes = [f"{each.pair}: {each.wrong}" for each in held if each.verdict == CRASH]
    yield Row("two orders: the checker fails", "0", str(len(crashes)), total, "; ".join(crashes), not crashes)
    aside = [str(each.pair) for each in held if each.verdict == VERIFIED and not each.is_false]
    yield Row("two orders: verified, other values when checked", "", str(len(aside)), total, "; ".join(aside))
    verdicts = collections.Counter(each.verdict for each in held)
    yield Row("two orders: verdicts", "", " ".join(f"{verdict} {count:,}" for verdict, count in verdicts.most_common()))


def share(pairs: Sequence[Pair]) -> list[Held]:
    """The verdicts on pairs whose orders differ, in a process that is ready (:func:`get_ready`)."""
    return [hold(each, denied) for each in pairs if (denied := another_outcome(each))]


def drawn(count: int, seed: int = 0) -> list[Pair]:
    """Some pairs of all kits."""
    chance = random.Random(seed)
    return chance.sample([pair for number in range(len(ALL_KITS)) for pair in pairs_of(number)], count)


def pairs_of(number: int) -> list[Pair]:
    """All pairs of a kit, in both orders, but for those of operations that only look."""
    kit = ALL_KITS[number]
    if not kit.stores:
        return [Pair(number, *each) for each in itertools.product(kit.operations, repeat=2)]
    mixed = [*itertools.product(kit.operations, kit.stores), *itertools.product(kit.stores, repeat=2)]
    return [Pair(number, *each) for each in (*mixed, *itertools.product(kit.stores, kit.operations))]


def _some(pairs: list[Pair], count: int) -> list[Pair]:
    return pairs if len(pairs) <= count else random.Random(count).sample(pairs, count)


def another_outcome(pair: Pair) -> str:
    """The outcome of a pair's other order; "" if it is the same, or names an address."""
    return other if (other := _outcome_of(pair, (1, 0))) != _outcome_of(pair, (0, 1)) else ""


def hold(pair: Pair, denied: str) -> Held:
    """The verdict on the program that asserts another outcome than the one of the pair's other order."""
    with tempfile.TemporaryDirectory(prefix="orders-") as folder:
        file = Path(folder, "program.py")
        text = native_programs.program_without(pair.parts(), denied)
        file.write_text(text)
        said = said_of(file)
        if said.verdict == CRASH:
            return Held(pair, CRASH, "; ".join(said.reasons))
        if said.verdict != VERIFIED:
            return Held(pair, said.verdict)
        if kept := os.environ.get(KEEP):
            _keep(Path(kept, "orders"), pair, text)
        file.write_text(native_programs.program_without(pair.parts(), denied, backwards=True))
        return Held(pair, VERIFIED, denied, said_of(file).verdict == VIOLATION)


def _keep(place: Path, pair: Pair, text: str) -> None:
    place.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "_", str(pair))[:80]
    (place / f"{name}_{zlib.crc32(text.encode()):x}.py").write_text(text)


# -- in a child --------------------------------------------------------------------------------------------------------


def _outcome_of(pair: Pair, order: tuple[int, int]) -> str:
    """The outcome of the two operations in an order; "" if it can't be determined."""
    with tempfile.TemporaryDirectory(prefix="order-") as folder:

        def run() -> str:
            os.chdir(folder)
            return _outcome(pair.parts(), order)

        ended = in_child(run, _SECONDS)
    outcome = ended.text
    return "" if not outcome.startswith("(") or re.search("0x[0-9a-f]{6}", outcome) else outcome


def _outcome(parts: Parts, order: tuple[int, int]) -> str:
    raised: list[object] = []
    threading.excepthook = raised.append
    outcome = native_programs.one_by_one(native_programs.executed(native_programs.compiled(parts)), parts, order)
    return "" if raised else outcome
