"""A service that renders templates: workers of a pool share a cache of compiled templates and a lock-guarded registry.

Seeded (lock kept after an exception): a template that can't be compiled leaves the registry's lock taken, as it is
released after the compilation and not in every case; the next worker waits for ever. Repaired: it is released in any
case.
"""

import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class BadTemplate(Exception):
    """A template that can't be compiled."""


@dataclass(frozen=True)
class Template:
    name: str
    parts: tuple[str, ...]

    def render(self, values: dict[str, str]) -> str:
        return "".join(values.get(part, part) for part in self.parts)


@dataclass
class Registry:
    """The sources of templates, and those that are compiled."""

    sources: dict[str, str]
    lock: threading.Lock = field(default_factory=threading.Lock)
    compiled: dict[str, Template] = field(default_factory=dict)
    compilations: int = 0

    def compile(self, name: str) -> Template:
        source = self.sources[name]
        if source.count("{") != source.count("}"):
            raise BadTemplate(name)
        self.compilations += 1
        return Template(name, tuple(source.replace("}", "{").split("{")))

    def get(self, name: str) -> Template:
        found = self.compiled.get(name)
        if found is not None:
            return found
        return self.get_locked(name) if REPAIRED else self.get_taken(name)

    def get_locked(self, name: str) -> Template:
        with self.lock:
            if name not in self.compiled:
                self.compiled[name] = self.compile(name)
            return self.compiled[name]

    def get_taken(self, name: str) -> Template:
        self.lock.acquire()
        if name not in self.compiled:
            self.compiled[name] = self.compile(name)
        self.lock.release()
        return self.compiled[name]


class Renderer:
    """Renders pages, and counts them."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.registry = Registry(sources)
        self.lock = threading.Lock()
        self.pages = 0

    def names(self) -> list[str]:
        """Of all templates, good and bad."""
        return sorted(self.registry.sources)

    def page(self, name: str, values: dict[str, str]) -> str:
        try:
            text = self.registry.get(name).render(values)
        except BadTemplate as error:
            return f"error: {error}"
        with self.lock:
            self.pages += 1
        return text


def main() -> None:
    renderer = Renderer({"hello": "Hello {name}!", "bad": "Bye {name"})
    with ThreadPoolExecutor(2) as pool:
        jobs: list[Future[str]] = [
            pool.submit(renderer.page, "hello", {"name": "Ann"}),
            pool.submit(renderer.page, "bad", {}),
            pool.submit(renderer.page, "hello", {"name": "Ben"}),
        ]
        texts = [job.result() for job in jobs]
    assert renderer.names() == ["bad", "hello"]
    assert texts == ["Hello Ann!", "error: bad", "Hello Ben!"], texts
    assert renderer.pages == 2
    assert renderer.registry.compilations == 1


if __name__ == "__main__":
    main()
