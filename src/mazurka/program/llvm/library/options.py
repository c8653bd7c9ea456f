"""``getopt``, ``getopt_long`` and ``getsubopt``, with the variables ``optind``, ``optarg``, ``opterr`` and ``optopt``.

Source: POSIX.1-2017; GNU's manual, 25.2. Arguments that are no options are moved behind the options, unless the text of
options begins with ``+`` or ``-``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_END: Final = -1
_UNKNOWN, _MISSING = ord("?"), ord(":")

#: The size of a ``struct option``, and the kinds of arguments of one.
_OPTION: Final = 32
_NONE, _REQUIRED = 0, 1


class _Long(NamedTuple):
    name: bytes
    argument: int
    flag: int
    value: int
    number: int


class _OptionScan:
    """A call of ``getopt``."""

    def __init__(self, m: Machine, site: int, given: tuple[int, int], options: int, only_long: bool) -> None:
        self.m, self.site = m, site
        self.count, self.vector = given
        self.options = m.memory.text(options, site)
        self.reports = not self.options.lstrip(b"+-").startswith(b":")
        self.only_long = only_long

    # -- memory -------------------------------------------------------------------------------------------------------

    def get(self, name: str) -> int:
        """The value of a variable."""
        return self.m.memory.load(self.m.address(name), 4, self.site) if self._is_declared(name) else self._kept(name)

    def set(self, name: str, value: int) -> None:
        """Set a variable."""
        if self._is_declared(name):
            self.m.memory.store(self.m.address(name), 8 if name == "optarg" else 4, value, self.site)
        self.m.state["getopt", name] = value

    def _kept(self, name: str) -> int:
        return int(self.m.state.get(("getopt", name), 1 if name in ("optind", "opterr") else 0))

    def _is_declared(self, name: str) -> bool:
        return name in self.m.module.globals

    def pointer(self, index: int) -> int:
        """The address of an argument."""
        return self.m.memory.load(self.vector + 8 * index, 8, self.site)

    def text(self, index: int) -> bytes:
        """An argument."""
        return self.m.memory.text(self.pointer(index), self.site)

    def is_option(self, index: int) -> bool:
        """Whether an argument is one or more options."""
        text = self.text(index)
        return text.startswith(b"-") and len(text) > 1

    # -- the arguments ------------------------------------------------------------------------------------------------

    def next(self, long: int, place: int) -> int:
        """The next option."""
        state = self.m.state
        at = self.get("optind")
        if not at:
            at = 1
            state["getopt", "rest"] = 0
            state["getopt", "passed"] = None
        self.set("optarg", 0)
        rest = state.get(("getopt", "rest"), 0)
        if not rest or not self.m.memory.text(rest, self.site):
            found = self._next_argument(at)
            if found is not None:
                return found
            at = self.get("optind")
            if long and self.text(at).startswith(b"--"):
                return self._long(at, long, place)
            if self.only_long and long and (len(self.text(at)) > 2 or self.text(at)[1:2] not in self.options):
                return self._long(at, long, place)
            rest = self.pointer(at) + 1
        return self._short(at, rest)

    def _next_argument(self, at: int) -> int | None:
        """Come to the next argument that is an option; the result where there is none."""
        first, last = self.m.state.get(("getopt", "passed")) or (at, at)
        last, first = min(last, at), min(first, at)
        if not self.options.startswith((b"+", b"-")):
            first, last = self._moved(first, last, at)
            while at < self.count and not self.is_option(at):
                at += 1
            last = at
        if at < self.count and self.text(at) == b"--":
            at += 1
            first, last = self._moved(first, last, at)
            last = at = self.count
        self.m.state["getopt", "passed"] = (first, last)
        self.set("optind", at)
        if at >= self.count:
            self.set("optind", first if first != last else at)
            return _END
        if self.is_option(at):
            return None
        if self.options.startswith(b"-"):
            self.set("optarg", self.pointer(at))
            self.set("optind", at + 1)
            return 1
        return _END

    def _moved(self, first: int, last: int, at: int) -> tuple[int, int]:
        """Move the arguments from ``first`` to ``last``, which are no options, behind those up to ``at``."""
        if first == last:
            return at, at
        pointers = [self.pointer(index) for index in range(first, at)]
        for index, pointer in enumerate([*pointers[last - first :], *pointers[: last - first]], start=first):
            self.m.memory.store(self.vector + 8 * index, 8, pointer, self.site)
        return first + at - last, at

    def _short(self, at: int, rest: int) -> int:
        text = self.m.memory.text(rest, self.site)
        letter, rest = text[:1], rest + 1
        is_last = len(text) == 1
        self.m.state["getopt", "rest"] = 0 if is_last else rest
        self.set("optind", at + is_last)
        where = self.options.lstrip(b"+-").find(letter)
        if letter in b":;" or where < 0:
            return self._wrong(letter[0], b"invalid option -- '" + letter + b"'")
        kind = self.options.lstrip(b"+-")[where + 1 : where + 3]
        if not kind.startswith(b":"):
            return letter[0]
        self.m.state["getopt", "rest"] = 0
        if not is_last:
            self.set("optarg", rest)
            self.set("optind", at + 1)
        elif kind != b"::":
            if at + 1 >= self.count:
                return self._missing(letter[0], b"option requires an argument -- '" + letter + b"'")
            self.set("optarg", self.pointer(at + 1))
            self.set("optind", at + 2)
        return letter[0]

    def _long(self, at: int, long: int, place: int) -> int:
        text = self.text(at)
        dashes = 2 if text.startswith(b"--") else 1
        name, equals, _ = text[dashes:].partition(b"=")
        self.m.state["getopt", "rest"] = 0
        self.set("optind", at + 1)
        begin = [each for each in self._long_options(long) if each.name.startswith(name)]
        exact = [each for each in begin if each.name == name] or begin
        shown = text[:dashes] + name
        if not exact:
            return self._wrong(0, b"unrecognized option '" + shown + b"'")
        found = exact[0]
        if any(each[1:4] != found[1:4] for each in exact[1:]):
            return self._wrong(0, b"option '" + shown + b"' is ambiguous")
        if equals and found.argument == _NONE:
            return self._wrong(found.value, b"option '--" + found.name + b"' doesn't allow an argument")
        if equals:
            self.set("optarg", self.pointer(at) + dashes + len(name) + 1)
        elif found.argument == _REQUIRED:
            if at + 1 >= self.count:
                return self._missing(found.value, b"option '--" + found.name + b"' requires an argument")
            self.set("optarg", self.pointer(at + 1))
            self.set("optind", at + 2)
        if place:
            self.m.memory.store(place, 4, found.number, self.site)
        if not found.flag:
            return found.value
        self.m.memory.store(found.flag, 4, found.value, self.site)
        return 0

    def _long_options(self, long: int) -> list[_Long]:
        found: list[_Long] = []
        load, site = self.m.memory.load, self.site
        while name := load(long, 8, site):
            kind, flag, value = load(long + 8, 4, site), load(long + 16, 8, site), load(long + 24, 4, site)
            found.append(_Long(self.m.memory.text(name, site), kind, flag, value, len(found)))
            long += _OPTION
        return found

    def _missing(self, option: int, message: bytes) -> int:
        self._wrong(option, message)
        return _UNKNOWN if self.reports else _MISSING

    def _wrong(self, option: int, message: bytes) -> int:
        self.set("optopt", option)
        if self.reports and self.get("opterr"):
            self.m.output.append(self.text(0) + b": " + message + b"\n")
        return _UNKNOWN


def _getopt(m: Machine, site: int, count: int, vector: int, options: int) -> int:
    return _OptionScan(m, site, (count, vector), options, False).next(0, 0)


def _getopt_long(m: Machine, site: int, count: int, vector: int, options: int, long: int, place: int) -> int:
    return _OptionScan(m, site, (count, vector), options, False).next(long, place)


def _getopt_long_only(m: Machine, site: int, count: int, vector: int, options: int, long: int, place: int) -> int:
    return _OptionScan(m, site, (count, vector), options, True).next(long, place)


def _getsubopt(m: Machine, site: int, place: int, tokens: int, value_place: int) -> int:
    """The number of the next suboption of a text among some names; -1 if it is none of them, or the text is at its
    end."""
    memory = m.memory
    start = memory.load(place, 8, site)
    text = memory.text(start, site)
    if not text:
        return -1
    option, comma, _ = text.partition(b",")
    name, equals, _ = option.partition(b"=")
    number = 0
    while (token := memory.load(tokens + 8 * number, 8, site)) and memory.text(token, site) != name:
        number += 1
    value = start if not token else start + len(name) + 1 if equals else 0
    memory.store(value_place, 8, value, site)
    if comma:
        memory.store(start + len(option), 1, 0, site)
    memory.store(place, 8, start + len(option) + len(comma), site)
    return number if token else -1


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "getopt": _getopt,
    "getopt_long": _getopt_long,
    "getopt_long_only": _getopt_long_only,
    "getsubopt": _getsubopt,
}
