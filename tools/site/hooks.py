"""Hooks of MkDocs: the navigation, the version, and files outside of `docs/` that pages link to.

- The navigation is `docs/README.md`: each of its headings is a section, each item of its lists a page, in that order.
- A file of the repository that a page links to (an example, the changelog) becomes a page of its own below `files/`:
  Markdown as it is, all else as a block of code, a folder as the list of its files. So every link leads somewhere
  without a network, and MkDocs, which is strict, still objects to one that does not.
- `<!-- api: MODULE -->` stands for the reference of a module, `<!-- page: NAME -->` for a link to a page of the
  gallery.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_GALLERY: Final = _ROOT / "build" / "gallery"
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
_LANGUAGES: Final = {".py": "python", ".json": "json", ".c": "c", ".toml": "toml", ".yml": "yaml", ".yaml": "yaml"}
#: A link or a picture of Markdown: the text in brackets, the address.
_LINK: Final = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
_SECTION: Final = re.compile(r"^## +(.*)$|^- \[(.*?)\]\(([^)\s#]+)\)$", re.MULTILINE)
_CODE: Final = re.compile(r"`([^`]*)`")
_FENCES = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def navigation() -> list[Any]:
    """As MkDocs has it: a page is ``{title: path}``, a section ``{title: pages}``; paths are below `docs/`."""
    made: list[Any] = [{"Mazurka": "README.md"}]
    pages: list[Any] = made
    for section, title, path in _SECTION.findall((_ROOT / "docs" / "README.md").read_text()):
        if section:
            pages = []
            made.append({section: pages})
        else:
            pages.append({_CODE.sub(r"\1", title): path})
    return made


def listed() -> list[str]:
    """The paths of all pages of the navigation, below `docs/`, in its order."""
    found = []
    for entry in navigation():
        for value in entry.values():
            found += [value] if isinstance(value, str) else [path for page in value for path in page.values()]
    return found


def on_config(config: Any) -> Any:
    """Set the navigation and the name, with the version."""
    config.nav = navigation()
    found = _VERSION.search((_ROOT / "src" / "mazurka" / "__init__.py").read_text())
    assert found, "src/mazurka/__init__.py states no version"
    config.site_name = f"Mazurka {found.group(1)}"
    config.copyright = f"Mazurka {found.group(1)}, Apache-2.0"
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the files outside of `docs/` that a page links to, directly or by others, and the gallery."""
    from mkdocs.structure.files import File, InclusionLevel

    waiting = sorted((_ROOT / "docs").rglob("*.md"))
    added: set[Path] = set()
    while waiting:
        page = waiting.pop()
        for target in _outside(page):
            if target not in added:
                added.add(target)
                made = File.generated(
                    config, _address(target), content=_content(target), inclusion=InclusionLevel.NOT_IN_NAV
                )
                files.append(made)
                if target.suffix == ".md":
                    waiting.append(target)
    for page in sorted(_GALLERY.glob("*.html")):
        files.append(File.generated(config, f"gallery/{page.name}", abs_src_path=str(page)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite links that lead out of `docs/`, or come from there, and the two marks."""
    source = _source(page.file.src_uri)
    if source.suffix == ".md":
        markdown = "".join(
            part if part.startswith("```") else _LINK.sub(lambda link: _moved(link, source, page.file.src_uri), part)
            for part in _FENCES.split(markdown)
        )
    markdown = re.sub(r"<!-- api: (\S+) -->", r"::: \1", markdown)
    return re.sub(r"<!-- page: (\S+) -->", lambda mark: _finding(mark.group(1), page.file.src_uri), markdown)


def _source(address: str) -> Path:
    """The file of the repository of which a page is made."""
    if not address.startswith("files/"):
        return _ROOT / "docs" / address
    within = address.removeprefix("files/")
    return _ROOT / within if (_ROOT / within).is_file() else _ROOT / within.removesuffix(".md")


def _address(target: Path) -> str:
    """The page that is made of a file or folder of the repository, below `docs/`."""
    if target.is_relative_to(_ROOT / "docs"):
        return target.relative_to(_ROOT / "docs").as_posix()
    within = target.relative_to(_ROOT).as_posix()
    return f"files/{within}" if within.endswith(".md") else f"files/{within}.md"


def _outside(page: Path) -> list[Path]:
    """The files and folders outside of `docs/` that a page links to, those that exist."""
    links = _LINK.findall(_FENCES.sub("", page.read_text()))
    targets = [_target(page, address) for _, address in links]
    return [each for each in targets if each and not each.is_relative_to(_ROOT / "docs")]


def _target(page: Path, address: str) -> Path | None:
    """The file or folder of the repository that a link on a page leads to; None if it leads elsewhere."""
    path = address.partition("#")[0]
    if not path or re.match(r"[a-z]+:", address):
        return None
    target = (page.parent / path).resolve()
    return target if target.exists() and target.is_relative_to(_ROOT) else None


def _moved(link: re.Match[str], source: Path, address: str) -> str:
    target = _target(source, link.group(2))
    if target is None:
        return link.group()
    fragment = link.group(2).partition("#")[2]
    path = posixpath.relpath(_address(target), posixpath.dirname(address) or ".")
    return f"{link.group(1)}({path}{'#' if fragment else ''}{fragment})"


def _content(target: Path) -> str:
    if target.suffix == ".md":
        return target.read_text()
    title = f"# {target.relative_to(_ROOT)}\n\n"
    if target.is_dir():
        names = sorted(each.name for each in target.iterdir() if not each.name.startswith(("__pycache__", ".")))
        return title + "".join(f"- `{name}`\n" for name in names)
    return f"{title}````{_LANGUAGES.get(target.suffix, 'text')}\n{target.read_text()}\n````\n"


def _finding(name: str, address: str) -> str:
    """A link to the page of a finding, from a page; empty if `make site` could not make it."""
    if not (_GALLERY / f"{name}.html").exists():
        return ""
    return f"[the page]({posixpath.relpath(f'gallery/{name}.html', posixpath.dirname(address) or '.')})"
