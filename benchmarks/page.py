"""The page of a recording of 200,000 events in Chromium: size, time until it is painted, frames while it scrolls.

First paint is the browser's own figure (first contentful paint), and the events are in the first rows by then. While it
scrolls, the page moves by ten rows in every frame, more than 15,000 pixels a second at 60 frames. Frames depend on all
that the machine does: the processor time of the page's main thread for each frame, which does not, is beside them.
Needs Chromium, and ``make test-browser`` once.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.browser.pages import HEIGHT, WIDTH, browser

from benchmarks.row import Row, Settings, middle
from mazurka.report.recording_data import recording_data
from mazurka.report.render_html import page
from mazurka.trace.reading import read_trace

_EVENTS: Final = 200_000
_THREADS: Final = 8
_LOCKS: Final = 12
_LINES: Final = 900

#: Scrolls for some seconds; counts the frames.
_SCROLL: Final = """() => new Promise((done) => {
  const element = document.querySelector(".scroller");
  const began = performance.now();
  let frames = 0;
  function step(now) {
    frames++;
    element.scrollTop += 260;
    if (now - began < 4000) requestAnimationFrame(step);
    else done([frames, (now - began) / 1000]);
  }
  requestAnimationFrame(step);
})"""


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, browser() as started:
        path = Path(folder, "page.html")
        trace = Path(folder, "trace.std")
        trace.write_text("".join(_events()))
        path.write_text(page(recording_data(read_trace(trace), "trace.std")), encoding="utf-8")
        size = path.stat().st_size / 1e6
        yield Row(f"file of {_EVENTS:,} events", "", f"{size:.2f} MB")
        paints, rates, costs = [], [], []
        for _ in range(settings.repetitions):
            paint, rate, cost = _shown(started, path)
            paints.append(paint)
            rates.append(rate)
            costs.append(cost)
        text, spread = middle(paints, " s")
        yield Row("first paint", "below 1 s", text, spread, holds=sorted(paints)[len(paints) // 2] < 1)
        text, spread = middle(rates, "/s")
        yield Row("frames while scrolling", "at least 50/s", text, spread, holds=sorted(rates)[len(rates) // 2] >= 50)
        text, spread = middle(costs, " ms")
        yield Row("processor time of a frame, main thread", "", text, spread, "20 ms are 50 frames/s")


def _shown(browser: Any, path: Path) -> tuple[float, float, float]:
    """Seconds until the first paint, frames per second, and milliseconds of the main thread for each frame."""
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(path.as_uri())
    tab.wait_for_selector(".row.step")
    tab.wait_for_selector(".contention")
    tab.wait_for_timeout(500)
    paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    before = _busy(session)
    frames, seconds = tab.evaluate(_SCROLL)
    cost = (_busy(session) - before) / frames * 1000
    tab.close()
    return paint, frames / seconds, cost


def _busy(session: Any) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _events() -> Iterator[str]:
    """A trace as STD: eight threads that read and write locations, few of them often, and take locks."""
    rng = random.Random(1)
    for thread in range(1, _THREADS):
        yield f"T0|fork(T{thread})|1\n"
    held: dict[int, str] = {}
    free = [f"L{number}" for number in range(_LOCKS)]
    for _ in range(_EVENTS - 3 * _THREADS):
        thread, chance, line = rng.randrange(_THREADS), rng.random(), rng.randrange(_LINES)
        if thread in held and chance < 0.3:
            free.append(held.pop(thread))
            yield f"T{thread}|rel({free[-1]})|{line}\n"
        elif thread not in held and chance < 0.3 and free:
            held[thread] = free.pop(rng.randrange(len(free)))
            yield f"T{thread}|acq({held[thread]})|{line}\n"
        else:
            yield f"T{thread}|{rng.choice('rrw')}(x{int(rng.paretovariate(0.6)) % 5000})|{line}\n"
    for thread, lock in held.items():
        yield f"T{thread}|rel({lock})|5\n"
    for thread in range(1, _THREADS):
        yield f"T0|join(T{thread})|6\n"
