"""Clients of shared objects whose calls commute: the data structures of the thesis on NCMC, tables 4.4 and 4.5.

The thesis prints no programs; ours have its structures (a linked list, buckets, a forest with path compression, each
under one lock), its numbers of threads and its workloads. So its counts are a mark to stay below, and no exact
comparison. Its columns for coarse and fine specifications differ in which calls are known to commute; ``ncmc`` goes by
models of the types, so it has one count for both, which must not exceed the smaller one. Beside it stand the
combinations of results, each executed once (``ncmc, classes``), and ``dpor``, which knows of memory only.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from benchmarks.row import Row, Settings
from benchmarks.search import Search, search
from benchmarks.strategies import ALL_RESULTS

_STRATEGIES: Final = ("ncmc", ALL_RESULTS, "dpor")

#: Workload -> structure -> for 4 to 7 threads: executions of JMCR, of NCMC with coarse and with fine specifications.
#: None: not finished in 15 minutes.
_PUBLISHED: Final[dict[str, dict[str, tuple[tuple[int | None, int | None, int | None], ...]]]] = {
    "query": {
        "set": ((1, 1, 1),) * 4,
        "hashtable": ((1, 1, 1),) * 4,
        "union_find": ((32, 4, 4), (64, 5, 5), (256, 6, 6), (512, 7, 7)),
    },
    "mixed": {
        "set": ((306, 5, 5), (2809, 6, 6), (None, 7, 7), (None, 8, 8)),
        "hashtable": ((76, 26, 25), (455, 109, 85), (None, 2476, 940), (None, None, None)),
        "union_find": ((44, 30, 26), (119, 46, 42), (740, 234, 218), (6400, 2466, 2228)),
    },
}


def measure(settings: Settings) -> Iterator[Row]:
    cells = [
        (workload, structure, threads, published)
        for workload, structures in _PUBLISHED.items()
        for structure, rows in structures.items()
        for threads, published in enumerate(rows, 4)
    ]
    seconds = min(settings.seconds, 10.0)

    def searched(cell: tuple[str, str, int, str]) -> Search | str:
        workload, structure, threads, strategy = cell
        limit = settings.seconds if strategy == "ncmc" else seconds
        return search(strategy, f"clients/{structure}.py", threads, workload, seconds=limit)

    with ThreadPoolExecutor(settings.jobs) as pool:
        found = pool.map(searched, [(*cell[:3], strategy) for cell in cells for strategy in _STRATEGIES])
        for workload, structure, threads, published in cells:
            made = {strategy: next(found) for strategy in _STRATEGIES}
            yield _row(f"{structure}({threads}), {workload}", published, made)


def _row(figure: str, published: tuple[int | None, int | None, int | None], made: dict[str, Search | str]) -> Row:
    jmcr, coarse, fine = [f"{count:,}" if count is not None else "-" for count in published]
    ours = made["ncmc"]
    note = f"published: JMCR {jmcr}, NCMC {coarse} coarse, {fine} fine"
    if isinstance(ours, str):
        return Row(figure, "", "failed", note=ours, holds=False)
    others = ", ".join(f"{strategy} {_count(each)}" for strategy, each in made.items() if strategy != "ncmc")
    finest = min((count for count in published[1:] if count is not None), default=None)
    holds = ours.complete and (finest is None or ours.last <= finest)
    demanded = f"at most {finest:,}" if finest is not None else "to end"
    return Row(figure, demanded, _count(ours), f"{ours.seconds:.2f} s", f"{others}; {note}", holds)


def _count(made: Search | str) -> str:
    if isinstance(made, str):
        return "failed"
    return f"{made.last:,}" if made.complete else f"more than {made.last:,}"
