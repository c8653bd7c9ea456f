"""Measures, and prints one table: figure, demand, measured value, its spread.

    make bench                              everything that is not long (about a quarter of an hour)
    make bench ARGS="speed counts"          some measurements
    make bench ARGS="counts --strategy all --seconds 20 --jobs 2"
    make bench ARGS="generated --strategy all --model sc --model tso --model pso --programs 5000 --jobs 4"
    make bench ARGS="differential --programs 3000 --jobs 2"   random programs in Python and C: every strategy as dfs,
                                                              dfs as real threads, races as vector clocks (an hour)
    make bench ARGS="mutations --programs 3000 --jobs 2"      changed programs, held to real threads (an hour)
    make bench ARGS="serial-orders --jobs 2"                  pairs of operations in both orders (most of an hour)
    make bench ARGS=services                  whole programs: seconds to bugs, coverage of repaired ones (20 minutes)
    make bench ARGS=asyncio                   programs of tasks: executions to bugs, beside other tools (some minutes)
    make bench ARGS=curves                  cost of prediction against length, threads and locks, plotted (minutes)
    make bench ARGS=libraries               uses of released libraries: how many get an answer (most of an hour; PyPI)
    make bench ARGS=suites                  thread tests of libraries' own suites (half an hour; PyPI)
    make bench ARGS=order-violations        predicted from passing executions of libraries (a minute; PyPI)
    make bench ARGS=properties              properties predicted in libraries, and of a long trace (two minutes; PyPI)
    make bench ARGS=thread-logs             logs of threads beside one log of all, of three programs (minutes; PyPI)
    make bench ARGS=call-orders             cost of candidates of calls in other orders, beside happens-before
    make bench ARGS=unknown-inputs          executions with inputs and orders searched together, and apart
    make bench ARGS=standby                 whether stored states would save more than they cost
    make bench ARGS="c-tasks --jobs 2"      verdicts on C programs in the style of SV-COMP's tasks (some minutes)
    make bench ARGS=install                 size and time of an installation, without extras and with (a minute; PyPI)
    make bench ARGS=page                    200,000 events in Chromium (a minute; after make test-browser)
    make bench ARGS=flow                    cost of recordings of control flow, ten programs in C (some minutes)
    make bench ARGS="ncmc --jobs 2"         clients whose calls commute, beside published counts (some minutes)
    make bench ARGS=footprint               a million executions of three strategies each (a quarter of an hour, too)

A measurement is a module in this folder with a function ``measure(settings)`` that yields rows; it gets its name in
the table below. Rows come out as they are measured. The status is 1 if a demand is not met.

Not here, because they are no figures: that the suite passes on every supported Python, and that schedules recorded
on one replay on the others (``.ci/run``, ``tests/replay``).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import Final

from benchmarks.row import SRC, Measure, Row, Settings

#: Name of a measurement -> the module that does it.
MEASUREMENTS: Final = {
    "real": "real_cases",
    "rivals": "rivals",
    "beside": "beside_frontrun",
    "live": "live_page",
    "outcomes": "outcomes",
    "generated": "generated",
    "differential": "differential",
    "counts": "counts",
    "classes": "classes",
    "ncmc": "commuting_calls",
    "dependence": "dependence",
    "bugs": "bugs",
    "services": "services",
    "asyncio": "tasks",
    "prediction": "prediction",
    "memory": "memory_models",
    "sampling": "sampling",
    "speed": "compare_frontrun",
    "cold": "cold_start",
    "overhead": "overhead",
    "switches": "switches",
    "solver": "solver",
    "traces": "trace_reading",
    "recording": "recording",
    "thread-logs": "thread_logs",
    "orders": "orders",
    "weak-orders": "orders_weak",
    "predict": "predict",
    "seqcheck": "seqcheck",
    "curves": "curves",
    "hostile": "hostile",
    "mutations": "mutations",
    "effects": "effects",
    "interruptions": "interruptions",
    "serial-orders": "serial_orders",
    "footprint": "footprint",
    "libraries": "libraries",
    "library-threads": "library_threads",
    "suites": "library_suites",
    "order-violations": "order_violations",
    "call-orders": "call_orders",
    "properties": "property_violations",
    "c-tasks": "c_tasks",
    "unknown-inputs": "unknown_inputs",
    "standby": "standby",
    "c-speed": "c_speed",
    "install": "install",
    "perfetto": "perfetto_export",
    "page": "page",
    "flow": "flow",
    "reproduce": "reproduce",
}


#: Only measured if asked for.
_LONG: Final = frozenset(
    {
        "footprint",
        "curves",
        "effects",
        "serial-orders",
        "ncmc",
        "differential",
        "mutations",
        "libraries",
        "library-threads",
        "services",
        "asyncio",
        "suites",
        "order-violations",
        "call-orders",
        "properties",
        "c-tasks",
        "install",
        "page",
        "flow",
        "reproduce",
    }
)


def main() -> int:
    names, settings = _arguments()
    _print_load()
    print(f"{'figure':50} {'demanded':>16} {'measured':>16}  {'spread':24} note", flush=True)
    missed = []
    for name in names:
        measure: Measure = importlib.import_module(f"benchmarks.{MEASUREMENTS[name]}").measure
        print(f"-- {name}", flush=True)
        for row in measure(settings):
            _print(row)
            if row.holds is False:
                missed.append(f"{name}: {row.figure}")
    print(f"{len(missed)} demands are not met" + "".join(f"\n  {each}" for each in missed))
    return 1 if missed else 0


def _arguments() -> tuple[list[str], Settings]:
    default = Settings()
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"the measurements: {', '.join(MEASUREMENTS)}")
    parser.add_argument("--repetitions", type=int, default=default.repetitions, metavar="N")
    parser.add_argument(
        "--seconds",
        type=float,
        default=default.seconds,
        help="limit for one search of `counts`, one check of `libraries`, `services`, `asyncio` or `c-tasks`",
    )
    parser.add_argument("--programs", type=int, default=default.programs, help="how many `generated` draws")
    parser.add_argument("--executions", type=int, default=default.executions, help="of each search of `footprint`")
    parser.add_argument("--strategy", action="append", metavar="NAME", help="those to measure; `all`: every one")
    parser.add_argument("--model", action="append", metavar="NAME", help="memory models of `generated`")
    parser.add_argument(
        "--jobs", type=int, default=default.jobs, metavar="N", help="processes for `generated` and `counts`"
    )
    parser.add_argument(
        "--only",
        default=default.only,
        metavar="PATTERN",
        help="names of `libraries`, `suites`, `services`, `asyncio` and `c-tasks`",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="put the results into the table of the docs (docs/reference/libraries.md, c-tasks.md)",
    )
    parser.add_argument("--save", default="", metavar="FOLDER", help="where `differential` keeps programs that differ")
    parser.add_argument("--frontrun", default=os.environ.get("FRONTRUN_PYTHON", ""), metavar="PYTHON")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in MEASUREMENTS]:
        parser.error(f"nothing is called {unknown[0]}; there are {', '.join(MEASUREMENTS)}")
    settings = Settings(
        given.repetitions,
        given.seconds,
        given.programs,
        given.executions,
        given.frontrun,
        tuple(given.strategy or default.strategies),
        tuple(given.model or default.models),
        given.jobs,
        given.only,
        given.keep,
        given.save,
    )
    return given.names or [name for name in MEASUREMENTS if name not in _LONG], settings


def _print_load() -> None:
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    busy = "; TOO BUSY to compare speeds" if load > processors / 4 else ""
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Python {version}, load {load:.1f} on {processors} processors{busy}")


def _print(row: Row) -> None:
    mark = "   NOT MET" if row.holds is False else ""
    print(
        f"{row.figure:50} {row.demanded:>16} {row.measured:>16}  {row.spread:24} {row.note}{mark}".rstrip(), flush=True
    )


if __name__ == "__main__":
    sys.path.insert(0, str(SRC))
    sys.exit(main())
