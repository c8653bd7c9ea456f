"""How generated programs are drawn: few and always the same by default, many and new ones under ``make test-long``.

That also runs tests that are marked ``long``. Of each test that is marked ``sampled`` three cases are run by ``make
test``, all by ``make test-all`` and where pytest is called without make. Tests that run programs come before tests that
compile kernels, read traces or parse the whole source: a check looks at all objects of its process and forks it, which
takes four times as long where numba and PyArrow have been at work (``later.py``), and twice as long after that much
parsing. Of both, tests that are marked ``slow`` run first, so that no process has one left when the others have ended.
pytest-xdist cuts the list into a piece for each process, and moves tests from the end of a piece to a process that has
ended its own: so each piece has that order, and its share of the tests that run programs.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)
#: Set by `make test-browser`.
_BROWSER = bool(os.environ.get("MAZURKA_BROWSER"))
#: Set by `make test`: the number of cases of a test that is marked `sampled`.
_SAMPLE = int(os.environ.get("SAMPLED_CASES", "0"))

_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "suite")

#: A project of its own, whose tests `end_to_end/test_users_project.py` runs.
collect_ignore = ["users_project"]

#: Modules that import numba, PyArrow or z3 when they are imported or first called; that have programs which belong to
#: this project, so that all its modules are instrumented; that enumerate large programs.
_LARGE = (
    "benchmarks.generated_traces",
    "benchmarks.predicted",
    "mazurka.causal",
    "mazurka.jit",
    "mazurka.order",
    "mazurka.predict",
    "mazurka.trace.formats",
    "mazurka.trace.reading",
    "mazurka.trace.writing",
    "tests.fuzz",
    "tests.later",
    "tests.oracle.benchmarks",
)

#: Modules of tests that import some of them and run programs all the same: what they use imports neither numba nor
#: PyArrow.
_SMALL = frozenset({"test_checks", "test_container_calls", "test_mcr_s"})

#: Modules of tests that make syntax trees of all modules: a process keeps most of the 80 MB that these take.
_PARSING = frozenset({"test_docstrings", "test_import_cycles", "test_words"})

settings.register_profile(
    "suite", max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=_SLOW_IS_FINE)
settings.load_profile(_PROFILE)


@pytest.hookimpl(trylast=True)  # after those that are not asked for (`-k`) are gone
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = _beyond_the_sample(items)
    left_out |= {item for item in items if _PROFILE != "long" and item.get_closest_marker("long")}
    left_out |= {item for item in items if not _BROWSER and item.get_closest_marker("browser")}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    large = {module for module in {_module_of(item) for item in items} if _makes_the_process_large(module)}

    def is_large(item: pytest.Item) -> bool:
        return _module_of(item) in large or item.get_closest_marker("large") is not None

    def is_fast(item: pytest.Item) -> bool:
        return item.get_closest_marker("slow") is None

    items.sort(key=lambda item: (is_large(item), is_fast(item)))
    workers = int(getattr(config, "workerinput", {"workercount": 1})["workercount"])
    kinds = itertools.groupby(items, lambda item: (is_large(item), is_fast(item), _module_of(item)))
    dealt = _dealt({key: list(group) for key, group in kinds}, workers)
    items[:] = itertools.chain.from_iterable(dealt)


def _beyond_the_sample(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of each test that is marked ``sampled`` all cases but some, which are spread evenly over them."""
    left_out = set[pytest.Item]()
    if _SAMPLE < 2:
        return left_out
    sampled = [item for item in items if item.get_closest_marker("sampled")]
    for _, group in itertools.groupby(sampled, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        kept = {round(number * (len(cases) - 1) / (_SAMPLE - 1)) for number in range(_SAMPLE)}
        left_out |= {case for at, case in enumerate(cases) if at not in kept}
    return left_out


def _dealt(
    groups: Mapping[tuple[bool, bool, ModuleType | None], list[pytest.Item]], workers: int
) -> list[list[pytest.Item]]:
    """Groups of tests by whether they are large and fast, and by their module, as the pieces into which pytest-xdist
    cuts their list, whose sizes it decides. All large ones are in the first half of the pieces, so that other
    processes stay small, and fewer compile the same kernels at the same time."""
    number, sizes = sum(map(len, groups.values())), list[int]()
    for waiting in range(workers, 0, -1):
        sizes.append((number - sum(sizes)) // waiting)
    pieces: list[list[pytest.Item]] = [[] for _ in range(workers)]
    large: list[list[pytest.Item]] = [[] for _ in range((workers + 1) // 2)]
    for (is_large, _, _), group in groups.items():
        if is_large:
            min(large, key=len).extend(group)
    for (is_large, is_fast, _), group in groups.items():
        if not is_large:
            filled = [
                len(piece) + (len(large[at]) if is_fast and at < len(large) else 0) for at, piece in enumerate(pieces)
            ]
            pieces[min(range(workers), key=filled.__getitem__)] += group
    for piece, part in zip(pieces, large, strict=False):
        piece += part
    left = list(itertools.chain.from_iterable(piece[size:] for piece, size in zip(pieces, sizes, strict=True)))
    for piece, size in zip(pieces, sizes, strict=True):
        del piece[size:]
        lacking = size - len(piece)
        piece += left[:lacking]
        del left[:lacking]
    return pieces


def _module_of(item: pytest.Item) -> ModuleType | None:
    return item.module if isinstance(item, pytest.Function) else None


def _makes_the_process_large(module: ModuleType | None) -> bool:
    """Whether the tests of a module use modules that import numba, PyArrow or a solver, or parse the whole source."""
    if module is None:
        return False
    own = module.__name__.rpartition(".")[2]
    if own in _PARSING or own in _SMALL:
        return own in _PARSING
    names = [getattr(each, "__module__", None) or getattr(each, "__name__", "") for each in vars(module).values()]
    return any(isinstance(name, str) and name.startswith(_LARGE) for name in names)
