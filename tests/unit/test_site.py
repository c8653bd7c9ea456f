"""The navigation of the site has every page of `docs/`, once, and no other."""

from __future__ import annotations

import re
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def _hooks() -> ModuleType:
    spec = spec_from_file_location("site_hooks", ROOT / "tools" / "site" / "hooks.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_listed_once() -> None:
    listed = Counter(_hooks().listed())
    present = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert len(present) > 60
    assert set(listed) == present
    assert [path for path, count in listed.items() if count > 1] == []


def test_sections_have_pages() -> None:
    start, *sections = _hooks().navigation()
    assert start == {"Mazurka": "README.md"}
    assert {"How-to guides", "Reference", "Explanation", "Decisions"} <= {name for each in sections for name in each}
    assert all(pages for section in sections for pages in section.values())


def test_reference_names_modules_that_exist() -> None:
    modules = re.findall(r"^<!-- api: (\S+) -->$", (DOCS / "reference" / "api.md").read_text(), re.MULTILINE)
    assert modules == ["mazurka", "mazurka.api", "mazurka.atomics", "mazurka.errors"]
    places = [ROOT.joinpath("src", *name.split(".")) for name in modules]
    assert all(place.with_suffix(".py").exists() or (place / "__init__.py").exists() for place in places)
