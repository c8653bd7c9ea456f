"""Sites: the places in the source that hooks report, numbered so that compiled code can be kept between runs.

A site's id is ``crc32(file name) << 20 | running number within the module``, the running number starting at 1; 0 and
negative ids are reserved for operations without a place in the program. Ids are the same in every process that
instruments the same text with the same version of the rewriter.

Cost: one dictionary and one list look-up for each site that is asked for; a site takes a tuple of seven.
"""

from __future__ import annotations

import ast
import itertools
import zlib
from types import CodeType, FrameType
from typing import Final, NamedTuple

from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber

_BITS: Final = 20
_MASK: Final = (1 << _BITS) - 1


#: The kind of the site of a truth test, and of a call whose result is only compared, or counted.
TRUTH_TEST: Final = "test"
COMPARED: Final = "compared"

#: The kinds of entries about the ``with`` and the ``wait`` of a loop that waits for a condition, and about a function
#: that only returns the value of an expression, which the test of such a loop may call.
WITH_LOOP: Final = "with loop"
WAIT_LOOP: Final = "wait loop"
EXPRESSION: Final = "expression"


class Site(NamedTuple):
    """One place where a hook is called: ``kind`` is the kind of operation, ``name`` that of the attribute, variable or
    method."""

    file: str
    line: int
    column: int
    function: str
    kind: str
    name: str
    end_line: int = 0  # where the expression ends
    end_column: int = 0


#: The data of a site beside the compiled code: everything but the file.
Entry = tuple[int, int, str, str, str, int, int]

_modules: dict[int, tuple[str, list[Entry]]] = {}
_variables: dict[str, set[str]] = {}

#: Places that are no sites, by numbers larger than that of any site. Then id of a code object and offset in it -> that
#: object and the number; site and name -> the number.
_others: Final[dict[int, Site]] = {}
_places: Final[dict[tuple[int, int], tuple[CodeType, int]]] = {}
_named: Final[dict[tuple[int, str], int]] = {}
_fresh: Final = itertools.count(1 << 60)

#: Files whose code calls hooks.
instrumented: set[str] = set()

#: Those of them of which no function is left, since only an earlier check in this process used them.
ended: set[str] = set()

#: Those of them that define finalisers, and those that compare values by identity.
finalizing: set[str] = set()
comparing_identity: set[str] = set()
#: ... or mention a name `modules`, like that of `sys`.
asking_for_modules: set[str] = set()
#: ... or mention a name by which code looks at the traceback or context of an exception.
looking_at_tracebacks: set[str] = set()
#: ... or mention a name by which code looks at the variables of other functions.
looking_at_frames: set[str] = set()
#: ... or mention times or numbers of files.
looking_at_times: set[str] = set()
#: ... or mention the registries of the warnings that have been issued.
looking_at_registries: set[str] = set()
#: ... or mention numbers of descriptors, and compare values.
comparing_descriptors: set[str] = set()
#: ... or mention functions that open descriptors in a step that is not seen.
opening_unseen: set[str] = set()
#: ... or mention the types of objects, other than by `isinstance`.
looking_at_types: set[str] = set()
#: ... or mention weak references.
referring_weakly: set[str] = set()

#: ... or give classes finalisers by their names.
naming_finalisers: set[str] = set()

#: ... or define generators or coroutines that run code when they are closed, as at their ends.
closing_generators: set[str] = set()

#: The kinds of files that may run code of the program at the end of an object.
RUNNING_CODE_AT_ENDS: Final = (finalizing, referring_weakly, closing_generators)

#: Files of code that the program compiles while it runs -> all names in this code.
names_of_compiled: dict[str, frozenset[str]] = {}

#: Kinds of entries about a whole module -> the set of the modules that have such an entry.
_SAID: Final = {
    "finalizer": finalizing,
    "named finalizer": naming_finalisers,
    "identity": comparing_identity,
    "modules": asking_for_modules,
    "traceback": looking_at_tracebacks,
    "frames": looking_at_frames,
    "times": looking_at_times,
    "registries": looking_at_registries,
    "descriptors": comparing_descriptors,
    "opening": opening_unseen,
    "types": looking_at_types,
    "weak": referring_weakly,
    "closing": closing_generators,
}

#: Files whose code looks for modules by their names -> these names.
_asked_by_name: Final[dict[str, set[str]]] = {}

#: Names of attributes that instrumented code stores: only those can hide a method of the class.
stored: set[str] = set()

#: Those of them that it stores in objects other than `self`, possibly in a class.
stored_from_outside: set[str] = set()


class SiteNumbering:
    """Assigns the sites of one module."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.base = zlib.crc32(file.encode("utf-8", "surrogatepass")) << _BITS
        self.entries: list[Entry] = []

    def new(self, node: ast.AST, function: str, kind: str, name: str) -> int:
        """The id of the next site, at the place of the node."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1
        end_line, end_column = getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)
        self.entries.append((line, column, function, kind, name, end_line, end_column))
        return self.base | len(self.entries)


#: File -> what is there, and its line -> the text of the loop (primitives/wait_loops.py).
wait_loops: Final[dict[str, dict[tuple[str, int], str]]] = {}

#: File and first line of a function -> its name, parameters, and expression.
expressions: Final[dict[tuple[str, int], str]] = {}


def register(file: str, entries: list[Entry]) -> None:
    """Make a module's sites known: its code is about to run."""
    _modules[zlib.crc32(file.encode("utf-8", "surrogatepass"))] = (file, entries)
    _variables.pop(file, None)
    instrumented.add(file)
    ended.discard(file)
    for kind in {entry[3] for entry in entries} & _SAID.keys():
        _SAID[kind].add(file)
    wait_loops.pop(file, None)
    for known in [each for each in expressions if each[0] == file]:
        del expressions[known]
    for line, _, _, kind, name, *_ in entries:
        if kind in (WITH_LOOP, WAIT_LOOP):
            wait_loops.setdefault(file, {})[kind, line] = name
        elif kind == EXPRESSION:
            expressions[file, line] = name
    _asked_by_name[file] = {entry[4] for entry in entries if entry[3] == "asked for"}
    stored.update(entry[4] for entry in entries if entry[3] == "store")
    stored_from_outside.update(entry[4] for entry in entries if entry[3] == "stored from outside")


def is_in_program(*of_kinds: set[str]) -> bool:
    """Whether the program under check has a file of one of these kinds: an instrumented one, unless nothing is left of
    it."""
    for files in of_kinds:
        if files and not (files & instrumented) <= ended:  # asked in each execution, mostly about no files
            return True
    return False


def asked_by_name() -> set[str]:
    """The names of modules that instrumented code looks for in `sys.modules`."""
    return {name for file, names in _asked_by_name.items() if file in instrumented for name in names}


def is_registered(file: str) -> bool:
    """Whether the sites of a file are known."""
    return zlib.crc32(file.encode("utf-8", "surrogatepass")) in _modules


def numbers(file: str) -> list[SiteNumber]:
    """All sites of a module."""
    key = zlib.crc32(file.encode("utf-8", "surrogatepass"))
    return [SiteNumber(key << _BITS | number) for number in range(1, len(_modules[key][1]) + 1)]


def numbered(file: str, number: int) -> SiteNumber:
    """A site by its number in its module."""
    return SiteNumber(zlib.crc32(file.encode("utf-8", "surrogatepass")) << _BITS | number)


def extent() -> str:
    """Names the modules that are instrumented, the same in every process."""
    return f"{zlib.crc32(repr(sorted(instrumented)).encode('utf-8', 'surrogatepass')):08x}"


def variables(file: str) -> set[str]:
    """The globals of a module that its own code takes for variables."""
    known = _variables.get(file)
    if known is None:
        _, entries = _modules[zlib.crc32(file.encode("utf-8", "surrogatepass"))]
        known = _variables[file] = {entry[4] for entry in entries if entry[3].startswith("global")}
    return known


def site(number: int) -> Site | None:
    """The data of a site."""
    module = _modules.get(number >> _BITS) if number > 0 else None
    index = (number & _MASK) - 1
    if module is None or not 0 <= index < len(module[1]):
        return _others.get(number)
    return Site(module[0], *module[1][index])


def place_of(frame: FrameType) -> int:
    """A number for the place of a frame, like that of a site; unlike those, it differs between processes."""
    code, offset = frame.f_code, frame.f_lasti
    known = _places.get((id(code), offset))
    if known is None or known[0] is not code:
        place = Site(code.co_filename, frame.f_lineno, 0, code.co_name, "", "")
        known = _places[id(code), offset] = (code, _new(place))
    return known[1]


def of_call(code: CodeType) -> int:
    """A number for calls of a function that the standard library was given, the same in every process."""
    number = 1 << 61 | zlib.crc32(f"{code.co_filename}:{code.co_qualname}".encode())
    if number not in _others:
        _others[number] = Site(code.co_filename, code.co_firstlineno, 0, code.co_qualname, "call", code.co_name)
    return number


def named(number: int, name: str) -> int:
    """A number for a site together with the name of an attribute that was reported there as the program ran."""
    known = _named.get((number, name))
    if known is None:
        found = site(number)
        known = _named[number, name] = _new(
            Site("", 0, 0, "", "", name) if found is None else found._replace(name=name)
        )
    return known


def _new(place: Site) -> int:
    number = next(_fresh)
    _others[number] = place
    return number


def kind_of(number: int) -> str:
    """The kind of a site, which its hook passes; "" if the number is that of no site."""
    module = _modules.get(number >> _BITS)
    if module is None:
        return _others[number].kind if number in _others else ""
    return module[1][(number & _MASK) - 1][3]


def is_also(number: int, kind: str) -> bool:
    """Whether a site of this kind has the same place in the source as the site of this number."""
    module, found = _modules.get(number >> _BITS), site(number)
    if module is None or found is None:
        return False
    return any(each[3] == kind and (*each[:2], *each[5:]) == (*found[1:3], *found[6:]) for each in module[1])


def location(number: int) -> Location | None:
    """The place of a site in the source."""
    known = site(number)
    return None if known is None else Location(known.file, known.line, known.column, known.function)


def text(number: int) -> str:
    """A site in words."""
    known = site(number)
    return "" if known is None else f"{known.kind} {known.name} at {known.file}:{known.line}".replace("  ", " ")
