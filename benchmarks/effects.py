"""Whether each operation that looks at an object, or changes it, is seen: drawn operations, compared with their
effects.

    make bench ARGS="effects --programs 3000 --jobs 2"

A drawn program (:mod:`benchmarks.native_programs`) has the operations that its kits have. Here an operation is drawn
from all functions of some modules, all methods of some objects and a list of forms of the language, with arguments
drawn as well, and is tried in a process of its own: one whose value differs after the object has changed, or that
changes a visible property of the object, has an effect by CPython's own word. Then one thread looks, once or twice, and
another one changes the object. Real threads make some of these programs fail; where `check` says `verified`, they are
run under real threads with delays (:mod:`tests.oracle.preemptive`), and any failure makes the verdict false. Such
programs are kept as files in the folder of the environment variable MAZURKA_KEEP, if there is one.

Cost: half a second for each program.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import itertools
import json
import multiprocessing
import os
import random
import resource
import signal
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.oracle.preemptive import hunt, in_child

from benchmarks.hostile import KEEP
from benchmarks.row import Row, Settings
from benchmarks.verdicts import CRASH, VERIFIED, get_ready, said_of

_SHARE: Final = 20
_TRIALS: Final = 60
_HUNT_SECONDS: Final = 4.0

#: Seconds for one evaluation, for all that are made to draw one operation, and memory in bytes for these.
_EVALUATION: Final = 0.1
_DRAWING: Final = 20.0
_MEMORY: Final = 4 << 30
_MOST_TRIED: Final = 4_000

#: Objects, and statements that change them.
_THINGS: Final = {
    "bytearray(b'abc')": ("thing[0] = 65", "thing.append(100)"),
    "[1, 2, 3]": ("thing[0] = 5", "thing.append(4)"),
    "['a', 'b']": ("thing[0] = 'c'", "thing.append('d')"),
    "{'a': 1, 'b': 2}": ("thing['a'] = 5", "thing['c'] = 3"),
    "{1, 2, 3}": ("thing.add(7)", "thing.discard(1)"),
    "collections.deque([1, 2, 3])": ("thing[0] = 5", "thing.append(4)"),
    "array.array('b', [97, 98, 99])": ("thing[0] = 65", "thing.append(4)"),
    "memoryview(bytearray(b'abc'))": ("thing[0] = 65",),
    "collections.OrderedDict(a=1, b=2)": ("thing['a'] = 5", "thing.move_to_end('a')"),
    "collections.Counter(a=1, b=2)": ("thing['a'] = 5", "thing.update(a=1)"),
    "collections.defaultdict(list, a=[1])": ("thing['a'].append(5)", "thing['b']"),
    "collections.UserDict(a=1, b=2)": ("thing['a'] = 5", "thing.pop('a')"),
    "collections.UserList([1, 2, 3])": ("thing[0] = 5", "thing.append(4)"),
    "collections.ChainMap({'a': 1}, {'b': 2})": ("thing['a'] = 5", "thing['b'] = 3"),
    "io.BytesIO(b'abc')": ("thing.write(b'Z')", "thing.seek(2)"),
    "io.StringIO('abc')": ("thing.write('Z')", "thing.seek(2)"),
    "types.SimpleNamespace(a=1)": ("thing.a = 2", "thing.b = 1"),
    "(ctypes.c_char * 3)(97, 98, 99)": ("thing[0] = b'Z'",),
    "iter([1, 2, 3])": ("next(thing)",),
    "(each for each in [1, 2, 3])": ("next(thing)",),
    "random.Random(3)": ("thing.random()",),
    "hashlib.sha256(b'a')": ("thing.update(b'b')",),
    "dataclasses.make_dataclass('Point', 'x y')(1, [2])": ("thing.x = 5", "thing.y.append(3)"),
    "argparse.Namespace(a=1, b=[2])": ("thing.a = 5", "thing.b.append(3)"),
    "collections.namedtuple('Pair', 'x y')([1], 2)": ("thing.x.append(5)",),
    "http.cookies.SimpleCookie('a=1')": ("thing['a'] = 'x'", "thing.clear()"),
    "string.Template('$a')": ("thing.template = '$b'",),
    "decimal.Context(prec=5)": ("thing.prec = 7",),
    "ValueError([1], 2)": ("thing.args[0].append(5)", "thing.args = (3,)"),
    "queue.PriorityQueue()": ("thing.put(1)",),
    "email.message.EmailMessage()": ("thing['To'] = 'a'", "thing.set_payload('b')"),
}

#: Immutable objects whose methods are drawn, too.
_OWNERS: Final = """b'abcd' 'abc' '{}{a}%s' (1,2) frozenset({1}) 5 1.5 2j range(5) re.compile('b') struct.Struct('3s')
    decimal.Decimal(1) datetime.date(2020,1,1) fractions.Fraction(1,2) json.JSONEncoder() string.Formatter()
    pathlib.PurePath('a') types.MappingProxyType({'a':1}) [1,2] {'a':1} {1} bytearray(b'abcd') collections.deque([1])
    collections.Counter('ab') collections.UserList([1]) collections.UserDict(a=1) io.BytesIO() array.array('b')
    str bytes int float dict list tuple frozenset bytearray""".split()

#: How an object comes to be an argument.
_WAYS: Final = (
    *("thing", "thing", "thing", "[thing]", "(thing,)", "{'k': thing}", "iter(thing)"),
    *("thing.__getitem__", "thing.__contains__", "thing.get", "thing.pop", "map(thing.__getitem__, [0, 'a'])"),
    *("lambda *given: thing", "functools.partial(bool, thing)", "(each for each in thing)", "range(len(thing))"),
)

_ARGUMENTS: Final = """b'abcd' 'abc' 1 0 -1.5 (1,2) [1] {'a':1} 'utf-8' 'B' '>3s' None len str b'' '' dict int set()
    'a' ('d',4) [('a',7)] {7} slice(0,1)""".split()

#: Forms of the language; `{}` stands for an argument.
_FORMS: Final = [
    line.strip()
    for line in """thing in {}
    {} in thing
    thing in ({}, {})
    thing + {}
    {} + thing
    thing == {}
    {} == thing
    thing < {}
    {} % thing
    {} % (thing,)
    f'{{thing}}{{thing!r}}'
    thing[0]
    thing['a']
    thing[:2]
    [*thing]
    {{*thing}}
    {{**thing}}
    (lambda *a: a)(*thing)
    (lambda **k: k)(**thing)
    {} | thing
    {} & thing
    {} - thing
    thing * 2
    (thing,) == ([1, 2, 3],)
    bool(thing)
    thing and 1
    [each for each in thing]
    sum(each for each in thing)
    [*map(str, thing)]
    [*zip(thing, thing)]
    [*itertools.chain(thing, {})]
    [*itertools.chain.from_iterable([thing])]
    max(thing, key=None)
    functools.reduce(operator.add, thing)
    {{k: v for k, v in thing.items()}}
    next(thing)
    repr([thing])
    str({{'k': (thing,)}})
    slice(*thing[:2])""".splitlines()
]

#: Statements that may change an object.
_STATEMENTS: Final = [
    line.strip()
    for line in """thing[0] = {}
    thing['a'] = {}
    del thing['a']
    del thing[0]
    thing[:2] = {}
    thing += {}
    thing |= {}
    thing &= {}
    thing -= {}
    thing *= 2
    thing.a = {}
    del thing.a
    setattr(thing, 'a', {})
    vars(thing)['a'] = {}
    for each in thing: break
    first, *rest = thing
    [thing[0]] = [{}]
    operator.setitem(thing, 0, {})
    operator.iadd(thing, {})
    memoryview(thing)[0] = 66
    struct.pack_into('b', thing, 0, 5)
    [*map(thing.append, [{}])]
    functools.partial(thing.append, {})()
    operator.methodcaller('clear')(thing)
    type(thing).clear(thing)
    type(thing).__setitem__(thing, 'a', {})
    collections.abc.MutableMapping.pop(thing, 'a')
    dict.update(thing, a={})
    heapq.heappush(thing, {})
    print({}, file=thing)""".splitlines()
]

_MODULES: Final = """builtins operator math cmath statistics json pickle marshal struct binascii base64 zlib bz2 lzma
    hashlib hmac codecs re string textwrap difflib heapq bisect itertools functools collections copy pprint reprlib html
    urllib.parse ipaddress uuid fractions decimal datetime calendar csv unicodedata shlex fnmatch posixpath email.utils
    quopri colorsys ast types enum dataclasses typing contextlib secrets array numbers plistlib xml.sax.saxutils
    xml.etree.ElementTree collections.abc io""".split()

#: Functions that act on the process, wait, or give another value at each call.
_LEFT_OUT: Final = frozenset(
    """exit quit input breakpoint open exec eval compile help print globals locals vars dir license credits copyright
    open_code FileIO text_encoding uuid1 uuid4 getnode token_bytes token_hex token_urlsafe randbelow randbits choice
    SystemRandom id object memoryview super run""".split()
)

#: Classes, and objects of them, whose attributes are looked up in all ways, while attributes come, go and change.
_CLASSES: Final = """
class Data:
    def __get__(self, thing, owner=None):
        return 10
    def __set__(self, thing, value):
        thing.__dict__["kept"] = value


class Lazy:
    def __get__(self, thing, owner=None):
        return 20


class Meta(type):
    of_meta = 1
    def __len__(cls):
        return cls.__dict__.get("size", 0)


class Base(metaclass=Meta):
    of_class, data, lazy, both = 2, Data(), Lazy(), 5
    def method(self):
        return 3
    @property
    def computed(self):
        return 4
    @classmethod
    def of_all(cls):
        return cls.of_class
    @staticmethod
    def alone():
        return 6
    def __len__(self):
        return self.__dict__.get("size", 0)


class Child(Base):
    __slots__ = ("slot",)
    def __init__(self):
        self.slot, self.own, self.both = 7, 8, 9
    def up(self):
        return super().method()
    def __getattr__(self, name):
        if name == "asked":
            return self.own
        raise AttributeError(name)


def function(first=1, *, second=2):
    return first + second


cell = (lambda value: lambda: value)(1)
module = types.ModuleType("module")
module.a = 1
"""
_OBJECTS: Final = ("Child()", "Child", "Base", "Meta", "function", "cell", "module", "Base()")
_NAMES: Final = "of_meta of_class data lazy both method computed of_all alone slot own asked kept size up a".split()
_LOOKS: Final = [
    line.strip()
    for line in """thing.{}
    thing.{}()
    getattr(thing, '{}', None)
    hasattr(thing, '{}')
    type(thing).{}
    Base.{}
    Child().{}
    Child().{}()
    vars(thing).get('{}')
    '{}' in vars(thing)
    '{}' in vars(type(thing))
    len(thing)
    bool(thing)
    thing()
    isinstance(thing, Base)
    operator.attrgetter('{}')(thing)
    operator.methodcaller('{}')(thing)
    object.__getattribute__(thing, '{}')
    super(Child, thing).{}
    [each.{} for each in (thing,)]
    (lambda: thing.{})()
    [*map(operator.attrgetter('{}'), [thing])]""".splitlines()
]
_CHANGES: Final = [
    line.strip()
    for line in """thing.{} = 30
    del thing.{}
    Base.{} = 31
    Child.{} = lambda *given: 32
    del Base.{}
    Meta.{} = 33
    setattr(thing, '{}', 34)
    delattr(thing, '{}')
    setattr(type(thing), '{}', 35)
    thing.__dict__['{}'] = 36
    vars(thing).pop('{}')
    type.__setattr__(Base, '{}', 37)
    object.__setattr__(thing, '{}', 38)
    thing.__class__ = Base
    thing.__dict__ = {{'{}': 39}}
    thing.__defaults__ = (40,)
    thing.__kwdefaults__['second'] = 41
    thing.__code__ = (lambda first=1, *, second=2: 42).__code__
    thing.__closure__[0].cell_contents = 43
    Base.{} = property(lambda self: 44)
    Base.{} = Data()
    Child.__bases__ = (Data,)
    Base.__len__ = lambda self: 45
    Meta.__len__ = lambda cls: 46
    Child.__getattr__ = lambda self, name: 47
    Base.__getattribute__ = lambda self, name: 48
    thing.__setattr__('{}', 49)
    [setattr(thing, '{}', 50) for _ in (1,)]
    thing.{} += 1
    Base.__dict__['data'].__class__.__get__ = lambda *given: 51
    for thing.{} in (52,): pass
    with contextlib.nullcontext(53) as thing.{}: pass""".splitlines()
]

_SHOW: Final = '''
def show(thing):
    """All that an object shows, as a text."""
    if isinstance(thing, random.Random):
        return repr(thing.getstate())
    if hasattr(thing, "hexdigest"):
        return thing.hexdigest()
    if hasattr(thing, "getvalue"):
        return repr((thing.getvalue(), thing.tell()))
    if isinstance(thing, (memoryview, ctypes.Array)):
        return repr(bytes(thing))
    return repr([*thing] if hasattr(thing, "__next__") else thing)
'''

_IMPORTS: Final = "".join(
    f"import {name}\n"
    for name in """argparse array collections collections.abc contextlib ctypes dataclasses datetime
    decimal email.message fractions functools hashlib heapq http.cookies io itertools json operator
    pathlib queue random re string struct threading types""".split()
)

_PROGRAM: Final = """{imports}{prelude}

thing = {thing}
first = {look}
thing = {thing}
same = []


def look():
    global first
    {again}
    same.append({look} == first)


def change():
    global thing
    {change}


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
"""


class Operation(NamedTuple):
    """An object, an expression that looks at it, a statement that changes it, and the module to import for these."""

    thing: str
    look: str
    change: str
    module: str

    def prelude(self) -> str:
        """The code before the object is made."""
        return f"import {self.module}\n" * bool(self.module) + (_CLASSES if self.thing in _OBJECTS else _SHOW)

    def program(self, twice: bool) -> str:
        """The program in which a thread compares the value with that of its own look before (``twice``), or of one
        before there were threads, while another one changes the object."""
        again = f"first = {self.look}" if twice else "pass"
        parts = self._asdict() | {"imports": _IMPORTS, "prelude": self.prelude(), "again": again}
        return _PROGRAM.format(**parts)


class Held(NamedTuple):
    """The verdict on one operation, and why it is wrong, or ""."""

    number: int
    operation: str
    verdict: str
    wrong: str


def measure(settings: Settings) -> Iterator[Row]:
    with ProcessPoolExecutor(settings.jobs, multiprocessing.get_context("spawn"), get_ready, (_MODULES,)) as pool:
        found = list(itertools.chain.from_iterable(pool.map(share, range(0, settings.programs, _SHARE))))
    for kind, figure in ((VERIFIED, "effects: verified, fail on real threads"), (CRASH, "effects: the checker fails")):
        wrong = [f"{each.number} ({each.operation})" for each in found if each.verdict == kind and each.wrong]
        yield Row(figure, "0", str(len(wrong)), f"of {len(found):,}", "; ".join(wrong[:_SHARE]), not wrong)
    verdicts = collections.Counter(each.verdict for each in found)
    yield Row("effects: verdicts", "", " ".join(f"{verdict} {count:,}" for verdict, count in verdicts.most_common()))


def share(first: int, count: int = _SHARE) -> list[Held]:
    """The verdicts on the operations from a number on, in a process that is ready (:func:`get_ready`)."""
    return [held for number in range(first, first + count) if (held := _hold(number)) is not None]


def _hold(number: int) -> Held | None:
    operation = drawn(number)
    if operation is None:
        return None
    with tempfile.TemporaryDirectory(prefix="effect-") as folder:
        file = Path(folder, "program.py")
        file.write_text(operation.program(number % 2 == 0))
        said = said_of(file)
        wrong = "; ".join(said.reasons) if said.verdict == CRASH else ""
        if said.verdict == VERIFIED and (failed := hunt(file, _TRIALS, seconds=5.0, until=_HUNT_SECONDS)) is not None:
            wrong = f"seed {failed.seed}: {failed.failure}"
    if wrong and (kept := os.environ.get(KEEP)):
        place = Path(kept, "effects")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.py").write_text(f"{operation.program(number % 2 == 0)}\n# {said.verdict}; {wrong}\n")
    return Held(number, f"{operation.look} beside {operation.change}, {operation.thing}", said.verdict, wrong)


# -- drawing ----------------------------------------------------------------------------------------------------------


def drawn(number: int) -> Operation | None:
    """The operation of a number; None if none was found, or trying one ended the process."""
    ended = in_child(lambda: json.dumps(_search(random.Random(number))), _DRAWING)
    with contextlib.suppress(ValueError):
        found = json.loads(ended.text)
        return Operation(*found) if found else None
    return None


def _search(chance: random.Random) -> Operation | None:
    """Try operations until one has an effect, in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGALRM, _give_up)
    warnings.simplefilter("ignore")
    makers = (_function, _method, _form, _statement, _change_by_method, _attribute, _attribute)
    for _ in range(_MOST_TRIED):
        maker = chance.choice(makers)
        thing = chance.choice(list(_THINGS))
        with contextlib.suppress(Exception):
            operation = maker(chance, thing)
            if _has_effect(operation):
                return operation
    return None


def _given(chance: random.Random) -> str:
    """Arguments, with the object among them, perhaps inside another one."""
    args = [chance.choice(_ARGUMENTS) for _ in range(chance.choice((0, 0, 1, 1, 2)))]
    args.insert(chance.randint(0, len(args)), chance.choice(_WAYS))
    return ", ".join(args)


def _function(chance: random.Random, thing: str) -> Operation:
    module = chance.choice(_MODULES)
    space = vars(importlib.import_module(module))
    name = chance.choice([each for each in space if not each.startswith("_") and each not in _LEFT_OUT])
    called = name if module == "builtins" else f"{module}.{name}"
    look = f"repr({called}({_given(chance)}))"
    return Operation(thing, look, chance.choice(_THINGS[thing]), "" if module == "builtins" else module)


def _method(chance: random.Random, thing: str) -> Operation:
    owner = chance.choice((*_OWNERS, "thing"))
    given = ", ".join(chance.choice(_ARGUMENTS) for _ in range(chance.choice((0, 1)))) if owner == "thing" else ""
    name = chance.choice(dir(_value(thing if owner == "thing" else owner)))
    look = f"repr(({owner}).{name}({given or _given(chance) if owner != 'thing' else given}))"
    return Operation(thing, look, chance.choice(_THINGS[thing]), "")


def _form(chance: random.Random, thing: str) -> Operation:
    return Operation(thing, f"repr({_filled(chance, _FORMS)})", chance.choice(_THINGS[thing]), "")


def _statement(chance: random.Random, thing: str) -> Operation:
    return Operation(thing, "show(thing)", _filled(chance, _STATEMENTS), "")


def _change_by_method(chance: random.Random, thing: str) -> Operation:
    name = chance.choice(dir(_value(thing)))
    args = ", ".join(chance.choice(_ARGUMENTS) for _ in range(chance.choice((0, 1, 2))))
    return Operation(thing, "show(thing)", f"thing.{name}({args})", "")


def _attribute(chance: random.Random, _thing: str) -> Operation:
    name = chance.choice(_NAMES)
    look, change = chance.choice(_LOOKS).format(name), chance.choice(_CHANGES)
    return Operation(chance.choice(_OBJECTS), f"repr({look})", change.format(chance.choice((name, *_NAMES))), "")


def _filled(chance: random.Random, lines: list[str]) -> str:
    line = chance.choice(lines)
    return line.format(*[chance.choice(_ARGUMENTS) for _ in range(line.count("{}"))])


def _value(expression: str) -> Any:
    space: dict[str, Any] = {}
    exec(_IMPORTS, space)
    return eval(expression, space)


def _has_effect(operation: Operation) -> bool:
    """Whether an expression's value is another one after the change, and the same at each try without it."""
    before = _outcome(operation, "")
    return before is not None and before == _outcome(operation, "") and before != _outcome(operation, operation.change)


def _outcome(operation: Operation, change: str) -> str | None:
    """The text of an expression's value, after a change; None if there is none, or it names an address."""
    space: dict[str, Any] = {}
    exec(_IMPORTS + operation.prelude(), space)
    space["thing"] = eval(operation.thing, space)
    signal.setitimer(signal.ITIMER_REAL, _EVALUATION)
    try:
        if change:
            with contextlib.suppress(Exception):
                exec(change, space)
        text = str(eval(operation.look, space))
    except Exception:  # an operation that fails looks at its object, too, but says little
        return None if not change else "failed"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None if " at 0x" in text else text


def _give_up(*_: object) -> None:
    raise TimeoutError
