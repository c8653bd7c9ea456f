"""The explicit table of harmless names: types whose objects have no state, and functions that touch nothing but their
arguments.

No other table says so. A name that is neither here nor modelled counts as untracked once two threads reach it
(:mod:`native_objects`, :mod:`foreign`), so that a new type, library or version of Python may cost an answer, and never
gives a wrong one.

- A *harmless type* has immutable instances: numbers, texts, dates, compiled patterns. The elements of a tuple, and the
  parts of a partial, are looked at by themselves; attributes of functions, classes and modules are locations of their
  own.
- A *pure function* reads its arguments, to any depth, and returns a value. Caches of its own do not count where they
  can't be observed.
- Names of temporary files are unique; their order matters to no program.
- A *modelled* package reports its own steps to the runtime.

Cost: a set look-up; types of modules that are loaded later are found when they are first looked up.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import types
from collections.abc import Iterable
from typing import Any, Final

#: The types of bound methods in C, and of functions in C. Methods that know which class defines them are of a type of
#: their own, which `types` does not name.
BUILTIN_METHODS: Final[frozenset[type]] = frozenset({types.BuiltinMethodType, type(re.compile("").search)})

#: Types without a state, by the module that has them under their name.
_TYPES: Final[dict[str, str]] = {
    "builtins": "int float complex bool str bytes tuple frozenset range slice type object property classmethod "
    "staticmethod super sentinel",
    "types": "NoneType EllipsisType NotImplementedType FunctionType BuiltinFunctionType MethodType CodeType "
    "WrapperDescriptorType MethodWrapperType MethodDescriptorType ClassMethodDescriptorType GetSetDescriptorType "
    "MemberDescriptorType ModuleType GenericAlias UnionType TracebackType FrameType CellType",
    "_csv": "Dialect",
    "attr.validators": "_InstanceOfValidator _MatchesReValidator _IsCallableValidator _NumberValidator "
    "_MaxLengthValidator _MinLengthValidator _SubclassOfValidator",
    "ast": "AST expr_context Load Store Del boolop And Or operator Add Sub Mult MatMult Div Mod Pow LShift RShift "
    "BitOr BitXor BitAnd FloorDiv unaryop Invert Not UAdd USub cmpop Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn",
    "_thread": "lock RLock LockType _local",
    "abc": "ABC ABCMeta",
    "contextlib": "AbstractContextManager ContextDecorator",
    "contextvars": "ContextVar",
    "dataclasses": "Field",
    "datetime": "date time datetime timedelta tzinfo timezone",
    "decimal": "Decimal",
    "enum": "Enum EnumType Flag IntEnum IntFlag StrEnum ReprEnum",
    "fractions": "Fraction",
    "functools": "partial partialmethod cached_property singledispatchmethod",
    "inspect": "Signature Parameter BoundArguments",
    "importlib.metadata": "EntryPoint",
    "ipaddress": "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface",
    "mazurka.symbolic.values": "SymbolicInt",
    "multiprocessing.synchronize": "SemLock Lock RLock Semaphore BoundedSemaphore",
    "numbers": "Number Complex Real Rational Integral",
    "numpy": "dtype ufunc generic finfo iinfo",
    "operator": "itemgetter attrgetter methodcaller",
    "os": "stat_result terminal_size times_result uname_result PathLike DirEntry",
    "pathlib": "PurePath PurePosixPath PureWindowsPath Path PosixPath WindowsPath",
    "pathlib._local": "PurePath PurePosixPath PureWindowsPath Path PosixPath WindowsPath",
    "pathlib._abc": "ParserBase PurePathBase PathBase",
    "pathlib.types": "_JoinablePath _ReadablePath _WritablePath",
    "re": "Pattern Match",
    "string": "Template",
    "struct": "Struct",
    "time": "struct_time",
    "unittest.case": "TestCase",
    "typing": "Generic Protocol TypeVar ParamSpec NamedTuple",
    "urllib.parse": "ParseResult SplitResult DefragResult",
    "uuid": "UUID",
    "weakref": "ReferenceType",
    "zoneinfo": "ZoneInfo",
}

#: The modules of those types in Python that have attributes, which no code changes.
_VALUES: Final = frozenset(
    "fractions importlib.metadata mazurka.symbolic.values ipaddress pathlib pathlib._local pathlib._abc uuid".split()
)

#: Modules in C all of whose functions are pure.
_PURE_NATIVE_MODULES: Final = frozenset(
    """math math.integer cmath _operator _bisect _struct binascii zlib _json _datetime unicodedata _statistics _sre
    _string _stat errno _abc _opcode _typing _md5 _sha1 _sha2 _sha3 _blake2 _hashlib _uuid _zoneinfo _suggestions
    itertools""".split()
)

#: Pure functions of other modules in C.
_PURE_NATIVES: Final[dict[str, frozenset[str]]] = {
    module: frozenset(names.split())
    for module, names in {
        "builtins": "abs all any ascii bin callable chr divmod format hash hex id isinstance issubclass max min oct "
        "ord pow repr round sorted sum dir len compile input breakpoint __build_class__ __import__ iter next globals "
        "locals aiter anext print",
        "sys": "_getframe exc_info exception getdefaultencoding getfilesystemencoding getfilesystemencodeerrors "
        "intern is_finalizing audit _getframemodulename _is_gil_enabled",
        "_codecs": "encode decode lookup lookup_error escape_decode escape_encode utf_8_decode utf_8_encode "
        "ascii_decode ascii_encode latin_1_decode latin_1_encode charmap_decode charmap_encode charmap_build",
        "_functools": "cmp_to_key reduce",
        "_pickle": "dumps loads",
        "marshal": "dumps loads",
        "_weakref": "proxy",
        "_collections": "_tuplegetter",
        "_imp": "is_builtin is_frozen lock_held acquire_lock release_lock",
        "_warnings": "warn warn_explicit",
        "_csv": "reader writer get_dialect list_dialects",
        "_ctypes": "sizeof byref addressof alignment",
        "posix": "getpid getppid getuid geteuid getgid getegid fspath cpu_count strerror getlogin sysconf confstr "
        "get_terminal_size getpgid sched_yield isatty",
        "decimal": "getcontext localcontext",
        "_locale": "strcoll strxfrm nl_langinfo",
        "_socket": "htons htonl ntohs ntohl inet_aton inet_ntoa inet_pton inet_ntop gethostname",
        "_contextvars": "copy_context",
        **dict.fromkeys(("_io", "io"), "text_encoding"),
        "gc": "get_referents is_tracked is_finalized",
        "keys": "load_der_public_key load_pem_public_key load_der_private_key load_pem_private_key",  # of cryptography
        "_rust.x509": "load_der_x509_certificate load_pem_x509_certificate",
    }.items()
}

#: Modules of the standard library in Python whose functions are pure, except for a few.
_PURE_PYTHON_MODULES: Final = frozenset(
    """pathlib._local pathlib._abc pathlib._os pathlib.types abc annotationlib ast base64 bisect colorsys contextlib
    copy dataclasses datetime difflib dis enum fnmatch fractions functools genericpath hashlib heapq html inspect
    ipaddress json keyword ntpath numbers opcode operator pathlib posixpath pprint re reprlib secrets stat
    statistics string struct textwrap token traceback types typing typing_extensions unicodedata urllib.parse uuid
    warnings weakref zoneinfo _strptime _collections_abc _py_abc _weakrefset codecs encodings collections random
    decimal calendar tempfile tokenize importlib.metadata""".split()
)

#: Modules that contain functions listed here under the name of another one, from Python 3.14 on.
_KNOWN_AS: Final = {"_py_warnings": "warnings"}

#: Modules of the standard library whose functions only pass their arguments on to instrumented code.
_TRANSPARENT: Final = frozenset(
    "contextlib functools typing typing_extensions abc enum types warnings dataclasses _py_abc".split()
)

#: ... except these.
_LOOKING: Final = frozenset(
    "asdict astuple replace _asdict_inner _astuple_inner NamedTuple TypedDict make_dataclass namedtuple "
    "prepare_class new_class".split()
)

#: Functions of other modules in Python that only read state that is not shared, or never changes.
_PURE_PYTHON: Final = frozenset(
    """multiprocessing.process.current_process multiprocessing.process.parent_process
    multiprocessing.process.BaseProcess.name multiprocessing.process.BaseProcess.ident
    multiprocessing.synchronize.SemLock.__enter__ multiprocessing.synchronize.SemLock.__exit__
    multiprocessing.context.BaseContext.cpu_count importlib.import_module asyncio.coroutines.iscoroutine
    asyncio.coroutines.iscoroutinefunction attr._make.evolve attr.converters.to_bool
    attr.validators._InstanceOfValidator.__call__ attr.validators._MatchesReValidator.__call__
    attr.validators._IsCallableValidator.__call__ attr.validators._NumberValidator.__call__
    attr.validators._MaxLengthValidator.__call__ attr.validators._MinLengthValidator.__call__
    attr.validators._SubclassOfValidator.__call__""".split()
) - ({"asyncio.coroutines.iscoroutinefunction"} if sys.version_info >= (3, 14) else set())  # which issues a warning

#: Functions that only call the callables in their closure, or in their object, with their arguments.
_CALLING_ITS_OWN: Final = frozenset(
    """attr._make._AndValidator.__call__ attr.validators._OptionalValidator.__call__
    attr.validators._OrValidator.__call__ attr.validators._NotValidator.__call__
    attr._make.pipe.<locals>.pipe_converter attr.converters.optional.<locals>.optional_converter
    attr.converters.default_if_none.<locals>.default_if_none_converter""".split()
)

#: Functions of these modules that keep state, or change their arguments: by module and qualified name.
_IMPURE: Final = frozenset(
    """calendar.setfirstweekday contextlib._RedirectStream.__enter__ contextlib._RedirectStream.__exit__
    random.Random.shuffle heapq.merge warnings.simplefilter
    warnings.filterwarnings warnings.resetwarnings""".split()
)

#: Functions whose effect, or whose result, depends on state without steps: they are always untracked.
_UNTRACEABLE: Final = frozenset(
    """importlib.reload _weakref.getweakrefcount _weakref.getweakrefs sys.getrefcount abc.ABCMeta.register
    gc.get_referrers gc.get_objects sys._current_frames sys.settrace sys.setprofile _ctypes.call_function
    functools.singledispatch.<locals>.register functools.singledispatchmethod.register
    calendar.setfirstweekday inspect.getclosurevars inspect.getgeneratorlocals inspect.getcoroutinelocals
    inspect.getasyncgenlocals""".split()
)

#: Packages whose operations report to the runtime themselves, or that run the checks.
MODELLED: Final = frozenset(
    "asyncio mazurka threading _thread queue concurrent os socket selectors greenlet pytest _pytest".split()
)

#: Functions of `asyncio` that any thread may call, whichever loop it runs.
OF_ANY_THREAD: Final = frozenset(
    """BaseEventLoop._do_shutdown BaseEventLoop.call_soon_threadsafe BaseEventLoop.close BaseEventLoop.is_closed
    BaseEventLoop.is_running BaseEventLoop.run_forever BaseEventLoop.run_until_complete Runner.__init__
    Runner.__enter__ Runner.__exit__ Runner.close Runner.get_loop Runner.run get_event_loop iscoroutine
    iscoroutinefunction new_event_loop run run_coroutine_threadsafe set_event_loop""".split()
)

#: Modules of the standard library that must not be instrumented: the interpreter, the models and the checks rest on
#: them, or they are entered so often, and for such short operations, that it would be of no use.
_NOT_EXPLORABLE: Final = frozenset(
    """abc annotationlib ast builtins codecs concurrent ctypes dis encodings enum functools
    importlib io linecache multiprocessing opcode operator os pathlib posixpath genericpath ntpath queue re signal
    site socket selectors sre_compile sre_parse ssl stat subprocess sqlite3 sys threading token tokenize traceback
    types typing warnings _py_warnings zipimport _collections_abc _py_abc _strptime datetime pdb
    bdb cmd doctest unittest numbers pickle tempfile""".split()
)

#: ... modules of packages among these that may be instrumented nevertheless.
_EXPLORABLE: Final = frozenset({"unittest.mock"})

_harmless: set[int] = set(map(id, BUILTIN_METHODS))
_looked_at: set[str] = set()
_modules_then = 0  # how many modules there were when they were looked for last


def is_harmless_type(kind: type) -> bool:
    """Whether exactly this class adds no state to its objects."""
    global _modules_then
    if id(kind) in _harmless:
        return True
    if len(sys.modules) == _modules_then:
        return False
    _modules_then = len(sys.modules)
    for module in _TYPES.keys() - _looked_at:
        if module in sys.modules:
            _looked_at.add(module)
            space = vars(sys.modules[module])
            _harmless.update(id(space[name]) for name in _TYPES[module].split() if isinstance(space.get(name), type))
    return id(kind) in _harmless


#: Types in C of persistent collections, by package, with their methods that return an element, or a new collection, and
#: look at nothing but their keys.
_PERSISTENT: Final[dict[str, dict[str, str]]] = {
    "rpds": {
        "HashTrieMap": "__getitem__ __contains__ __len__ __iter__ get insert remove discard keys values items",
        "HashTrieSet": "__contains__ __len__ __iter__ insert remove discard",
        "List": "__len__ __iter__ __reversed__ first rest push_front drop_first",
        "Queue": "__len__ __iter__ is_empty peek enqueue dequeue",
        "Stack": "__len__ __iter__ peek push pop",
    },
}

#: Keys that are compared without a look at anything else, and of how many it is looked whether they are such.
_PLAIN_KEYS: Final = frozenset({int, float, bool, str, bytes, type(None)})
_MOST_KEYS: Final = 1_000


def is_persistent(kind: type) -> bool:
    """Whether a class is that of a persistent collection in C, which is never changed."""
    named = kind.__name__ in _PERSISTENT.get(kind.__module__, ())
    return named and vars(sys.modules.get(kind.__module__, types)).get(kind.__name__) is kind


def looks_only_at_keys(kind: type, name: str) -> bool:
    """Whether a method of a persistent collection in C looks at nothing but keys."""
    return is_persistent(kind) and name in _PERSISTENT[kind.__module__][kind.__name__].split()


def has_plain_keys(thing: Any) -> bool:
    """Whether nothing but the keys of a persistent collection in C decides whether they are equal."""
    kind = type(thing)
    return not kind.__name__.startswith("HashTrie") or (
        len(thing) <= _MOST_KEYS and all(type(each) in _PLAIN_KEYS for each in thing)
    )


def is_value_type(kind: type) -> bool:
    """Whether an object of exactly this class never changes, except for its own caches."""
    return kind.__module__ in _VALUES and is_harmless_type(kind)


def is_pure_native(module: object, name: str) -> bool:
    """Whether a function in C only reads its arguments."""
    if not isinstance(module, str):
        return False
    return module in _PURE_NATIVE_MODULES or name in _PURE_NATIVES.get(module, ())


#: Functions of modules in C that only access their arguments, which they may change.
_ONLY_GIVEN: Final[dict[str, frozenset[str]]] = {
    "_pickle": frozenset({"dump", "load"}),
    "_elementtree": frozenset({"SubElement"}),
}


def touches_only_given(module: str, name: str) -> bool:
    """Whether a function in C only accesses its arguments."""
    return name in _ONLY_GIVEN.get(module, ())


#: Types in C whose objects, when they are called, only call two functions that they keep, by module.
_WRAPPERS: Final[dict[str, frozenset[str]]] = {
    "wrapt._wrappers": frozenset({"FunctionWrapper", "BoundFunctionWrapper"})
}


def functions_wrapped_by(thing: Any) -> tuple[Any, ...]:
    """The functions that a call of an object in C calls, if it does nothing else; none if they are not known."""
    for module, names in _WRAPPERS.items():
        space = vars(sys.modules[module]) if module in sys.modules else {}
        if any(type(thing) is space.get(name) for name in names):
            return thing.__wrapped__, thing._self_wrapper
    return ()


#: Types in C whose objects, when they are called, only make a callable and call it, with the arguments that they keep
#: before the given ones, by module.
_FACTORIES: Final[dict[str, frozenset[str]]] = {
    "dependency_injector.providers": frozenset({"Factory"}),
}


def made_by(thing: Any, given: Iterable[Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """The callable that a call of such a factory calls, and its arguments before the ``given`` ones; None if the object
    is no such factory, or does more: another object stands in for it, it stores attributes, or calls factories among
    its arguments."""
    for module, names in _FACTORIES.items():
        space = vars(sys.modules[module]) if module in sys.modules else {}
        if any(type(thing) is space.get(name) for name in names):
            arguments, named = tuple(thing.args), dict(thing.kwargs)
            others = (*arguments, *named.values(), *given)
            if thing.overridden or thing.attributes or any(type(each).__module__ == module for each in others):
                return None
            return thing.provides, arguments, named
    return None


def keeps_a_state(module: str) -> bool:
    """Whether a module in C, some of whose functions are pure, has other functions that change the state that these
    read."""
    return module not in _PURE_NATIVE_MODULES and module not in _WITHOUT_STATE


#: Modules some of whose functions are pure, and whose other functions change no state that the pure ones read.
_WITHOUT_STATE: Final = frozenset(
    "builtins _functools _pickle marshal _weakref _collections _ctypes posix decimal".split()
)


def is_stateless_device(status: os.stat_result) -> bool:
    """Whether a file is `/dev/null`, `/dev/zero` or `/dev/full` of Linux."""
    device = os.major(status.st_rdev), os.minor(status.st_rdev)
    return stat.S_ISCHR(status.st_mode) and device in ((1, 3), (1, 5), (1, 7))


def is_pure_python(module: object, name: str) -> bool:
    """Whether a function of the standard library in Python only looks at its arguments, and changes nothing but its own
    object."""
    if not isinstance(module, str) or f"{module}.{name}" in _IMPURE:
        return False
    if f"{module}.{name}" in _PURE_PYTHON:
        return True
    return module in _PURE_PYTHON_MODULES or module.partition(".")[0] in ("json", "encodings", "zoneinfo")


def calls_its_own(module: object, name: str) -> bool:
    """Whether a function in Python only calls the callables that it, or its object, holds."""
    return f"{module}.{name}" in _CALLING_ITS_OWN


def only_looks_at_arrays(function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a function of NumPy only looks at its arguments, and gets no array to write its result to."""
    if "out" in named or "where" in named:
        return False
    if type(function).__name__ == "ufunc":
        return len(args) <= int(function.nin)
    name = getattr(function, "__name__", "")
    return name in _OF_ARRAYS and len(args) <= _OF_ARRAYS[name]


#: Functions of NumPy that return a new object, or the array itself -> how many arguments may stand before `out`.
_OF_ARRAYS: Final = dict.fromkeys(
    """dot inner outer vdot kron concatenate asarray array ascontiguousarray asanyarray sum prod mean std var max min
    amax amin any all argmax argmin argsort sort median percentile quantile cumsum cumprod unique stack vstack hstack
    round around allclose isclose array_equal nonzero count_nonzero searchsorted diff take repeat tile trace
    zeros_like ones_like empty_like full_like copy shape ndim size norm bincount ravel reshape transpose squeeze
    expand_dims""".split(),
    2,
) | {"where": 3, "clip": 3}


def is_transparent(function: Any) -> bool:
    """Whether a function in Python only passes its arguments on."""
    name = known_as(function.__globals__.get("__name__"))
    if f"{name}.{function.__qualname__}" in _IMPURE:
        return False
    return name in _TRANSPARENT and function.__name__ not in _LOOKING


def keeps_what_is_called(module: str, name: str) -> bool:
    """Whether a function calls none of its arguments, though it may return a generator that does: the effects of the
    generator on its variables are reported whenever it is resumed."""
    return f"{module}.{name}" in _KEEPING


_KEEPING: Final = frozenset(("functools._unwrap_partial", "tokenize.generate_tokens"))


def is_interface(module: str) -> bool:
    """Whether functions of a module only call methods of their object."""
    return module in ("collections.abc", "_collections_abc")


def is_assertion(module: str) -> bool:
    """Whether functions of a module compare their arguments, and keep none of them."""
    return module == "unittest.case"


def is_untraceable(module: object, name: str) -> bool:
    """Whether a function's effects, or its result, can't be expressed as accesses."""
    return f"{module}.{name}" in _UNTRACEABLE


def is_foreign_function(thing: Any) -> bool:
    """Whether an object is a function of `ctypes`, of which only the name is known."""
    module: Any = sys.modules.get("_ctypes")
    return module is not None and issubclass(type(thing), module.CFuncPtr)


def is_foreign_library(thing: Any) -> bool:
    """Whether an object is a library that `ctypes` has loaded, whose attributes are foreign functions."""
    module: Any = sys.modules.get("ctypes")
    return module is not None and issubclass(type(thing), module.CDLL)


def is_explorable(module: str) -> bool:
    """Whether a module of the standard library may be instrumented where a program enters it."""
    root = module.partition(".")[0]
    if module in _EXPLORABLE:
        return True
    return root in sys.stdlib_module_names and root not in _NOT_EXPLORABLE


def known_as(module: Any) -> Any:
    """The name by which a module is known here."""
    return _KNOWN_AS.get(module, module) if isinstance(module, str) else module


def root_of(module: object) -> str:
    """The package a module's name starts with."""
    return module.partition(".")[0] if isinstance(module, str) else ""


def stdlib_names() -> frozenset[str]:
    """The packages that come with Python."""
    return sys.stdlib_module_names
