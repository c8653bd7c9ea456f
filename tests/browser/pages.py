"""The pages that are looked at in a browser, and the browser: Chromium, driven by Playwright.

``make test-browser`` installs Playwright, and axe-core from npm, into ``.cache/browser``. The browser is the
system's: ``CHROMIUM`` names it, or it is found by its usual names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_INSTALLED = ROOT / ".cache" / "browser"
AXE = _INSTALLED / "package" / "axe.min.js"
SCREENSHOTS = ROOT / "build" / "browser"

#: The size of the first viewport.
WIDTH, HEIGHT = 1280, 800


def chromium() -> str:
    """The browser; without one the tests end with that as the reason."""
    given = os.environ.get("CHROMIUM", "")
    names = [given] if given else ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sys.exit(
            f"no browser: there is no {' or '.join(names)}. Install Chromium (Debian: apt-get install chromium), "
            "or name it: CHROMIUM=/path/to/chromium make test-browser"
        )
    return found


@contextmanager
def browser() -> Iterator[Any]:
    """A running browser of Playwright."""
    path = chromium()
    sys.path.append(str(_INSTALLED / "site"))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("Playwright is not installed: run `make test-browser`")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


@dataclass
class Opened:
    """A page in the browser, and all that went wrong on it."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def selected(self) -> int:
        """The number of the selected row."""
        return int(self.page.evaluate("document.querySelector('.row.selected').id.slice(4)"))


@contextmanager
def opened(
    browser: Any, path: Path, scheme: str = "light", hash_: str = "", selector: str = "main > *"
) -> Iterator[Opened]:
    """A page opened from the disk, without a network."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, offline=True)
    made = Opened(context.new_page())
    page = made.page
    page.on("console", lambda message: message.type in ("error", "warning") and made.errors.append(message.text))
    page.on("pageerror", lambda error: made.errors.append(str(error)))
    page.on("dialog", lambda dialog: (made.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: made.requests.append(request.url))
    page.goto(path.as_uri() + hash_)
    page.wait_for_selector(selector)
    page.wait_for_timeout(100)  # a frame or two: rows are drawn when their size is known
    try:
        yield made
    finally:
        context.close()


def violations(page: Any) -> list[str]:
    """The serious and critical violations that axe-core finds."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary']}" for each in serious]


def data_of(path: Path) -> Any:
    """The data of a page."""
    (found,) = re.findall(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found)
