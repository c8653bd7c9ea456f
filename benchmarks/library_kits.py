"""More kits, of objects of the library and the language that :mod:`benchmarks.kits` does not have.

    MAZURKA_KITS=library python -m benchmarks hostile --programs 3000

draws programs from these. They are separate so that the numbers of programs stay the same.
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit

#: Modules that their programs import, beside those of the other kits.
MODULES: Final = (
    "abc argparse ast base64 builtins calendar copyreg difflib email.message glob html.parser http.cookies importlib "
    "inspect linecache locale logging lzma os pathlib pprint reprlib sched select shelve shlex shutil signal socket "
    "sys tempfile tokenize traceback typing warnings xml.etree.ElementTree zipfile"
).split()

#: The state of the process.
_PROCESS: Final = (
    Kit(
        "environment",
        "os.environ['MZK'] = 'a'",
        (
            "os.environ.get('MZK')",
            "os.environ['MZK'] = 'b'",
            "os.environ.pop('MZK', None)",
            "os.getenv('MZK', 'none')",
            "'MZK' in os.environ",
            "os.environ.setdefault('MZK', 'c')",
            "os.environ['MZK'] += 'd'",
            "os.putenv('MZK', 'e')",
            "os.path.expandvars('$MZK')",
            "{**os.environ}.get('MZK')",
            "os.environ.copy().get('MZK')",
            "os.environb.get(b'MZK')",
        ),
        "os.environ.get('MZK')",
    ),
    Kit("umask", "os.umask(0o22)", ("os.umask(0o27)", "os.umask(os.umask(0o22))"), "os.umask(0o22)"),
    Kit(
        "recursion limit",
        "sys.setrecursionlimit(1000)",
        (
            "sys.getrecursionlimit()",
            "sys.setrecursionlimit(1200)",
            "sys.setrecursionlimit(sys.getrecursionlimit() + 50)",
        ),
        "sys.getrecursionlimit()",
    ),
    Kit(
        "warnings filters",
        "warnings.resetwarnings()",
        (
            "warnings.simplefilter('error')",
            "warnings.simplefilter('ignore')",
            "len(warnings.filters)",
            "warnings.warn('w')",
            "warnings.resetwarnings()",
            "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    warnings.warn('x')",
            (
                "with warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
                "    warnings.warn('x')\n    seen.append(len(caught))"
            ),
        ),
        "[each[0] for each in warnings.filters]",
    ),
    Kit(
        "standard output",
        "sys.stdout = io.StringIO()",
        (
            "print('p')",
            "sys.stdout.write('w')",
            "sys.stdout.getvalue()",
            (
                "with contextlib.redirect_stdout(io.StringIO()) as kept:\n    print('k')\n"
                "    seen.append(kept.getvalue())"
            ),
            "sys.stdout = io.StringIO()",
            "print(1, end='')",
        ),
        "(sys.stdout.getvalue(), setattr(sys, 'stdout', sys.__stdout__))[0]",
    ),
    Kit(
        "hooks",
        "sys.excepthook = sys.__excepthook__\nsys.unraisablehook = sys.__unraisablehook__\nhooked = []",
        (
            "sys.excepthook is sys.__excepthook__",
            "sys.excepthook = hooked.append",
            "sys.unraisablehook = hooked.append",
            "sys.unraisablehook is sys.__unraisablehook__",
            "sys.displayhook(None)",
        ),
        "sys.excepthook is sys.__excepthook__",
    ),
    Kit(
        "builtins",
        "builtins.mzk = 1",
        (
            "builtins.mzk",
            "builtins.mzk += 1",
            "mzk",
            "hasattr(builtins, 'mzk')",
            "vars(builtins).get('mzk')",
            "setattr(builtins, 'mzk', 7)",
            "getattr(builtins, 'mzk')",
        ),
        "(builtins.mzk, delattr(builtins, 'mzk'))[0]",
    ),
    Kit(
        "first weekday",
        "calendar.setfirstweekday(0)",
        (
            "calendar.setfirstweekday(6)",
            "calendar.firstweekday()",
            "calendar.weekheader(2)",
            "calendar.monthcalendar(2026, 2)[0]",
        ),
        "calendar.firstweekday()",
    ),
    Kit(
        "signal handlers",
        "signal.signal(signal.SIGUSR1, signal.SIG_DFL)",
        ("signal.getsignal(signal.SIGUSR1)", "signal.signal(signal.SIGUSR1, signal.SIG_IGN)"),
        "signal.getsignal(signal.SIGUSR1)",
    ),
    Kit(
        "default timeout",
        "socket.setdefaulttimeout(None)",
        ("socket.getdefaulttimeout()", "socket.setdefaulttimeout(2)", "socket.setdefaulttimeout(None)"),
        "(socket.getdefaulttimeout(), socket.setdefaulttimeout(None))[0]",
    ),
    Kit(
        "pickling table",
        "class Own:\n    pass\ncopyreg.dispatch_table.pop(Own, None)",
        (
            "copyreg.pickle(Own, lambda own: (str, ('x',)))",
            "type(copy.copy(Own())).__name__",
            "Own in copyreg.dispatch_table",
        ),
        "Own in copyreg.dispatch_table",
    ),
    Kit(
        "module table",
        "sys.modules.pop('mzk_mod', None)",
        (
            "sys.modules.setdefault('mzk_mod', types.ModuleType('mzk_mod')).__name__",
            "'mzk_mod' in sys.modules",
            "sys.modules.pop('mzk_mod', None) is None",
            "importlib.import_module('mzk_mod').__name__",
            "import mzk_mod\nseen.append(mzk_mod.__name__)",
        ),
        "'mzk_mod' in sys.modules",
    ),
    Kit(
        "switch interval",
        "sys.setswitchinterval(0.005)",
        ("sys.getswitchinterval()", "sys.setswitchinterval(0.01)"),
        "(sys.getswitchinterval(), sys.setswitchinterval(0.005))[0]",
    ),
    Kit(
        "locale",
        "locale.setlocale(locale.LC_ALL, 'C')",
        (
            "locale.setlocale(locale.LC_ALL)",
            "locale.setlocale(locale.LC_ALL, 'C.UTF-8')",
            "locale.localeconv()['decimal_point']",
        ),
        "(locale.setlocale(locale.LC_ALL), locale.setlocale(locale.LC_ALL, 'C'))[0]",
    ),
    Kit(
        "line cache",
        "linecache.clearcache()\nlinecache.cache['mzk'] = (3, None, ['one\\n', 'two\\n'], 'mzk')",
        (
            "linecache.getline('mzk', 1)",
            "linecache.getlines('mzk')",
            "linecache.cache['mzk'] = (3, None, ['three\\n'], 'mzk')",
            "linecache.clearcache()",
            "linecache.cache.pop('mzk', None)",
        ),
        "'mzk' in linecache.cache",
    ),
)

_LOGGING: Final = (
    Kit(
        "logger",
        "out = io.StringIO()\nlog = logging.Logger('mzk')\nlog.addHandler(logging.StreamHandler(out))",
        (
            "log.info('i')",
            "log.warning('w %s', 1)",
            "log.setLevel(logging.ERROR)",
            "log.setLevel(logging.DEBUG)",
            "log.handlers.clear()",
            "log.addHandler(logging.StreamHandler(out))",
            "log.isEnabledFor(logging.INFO)",
            "log.disabled = True",
            "len(log.handlers)",
            "log.removeHandler(log.handlers[0])",
            "log.addFilter(lambda record: False)",
            "log.getEffectiveLevel()",
            "out.getvalue()",
        ),
        "out.getvalue()",
    ),
    Kit(
        "loggers by name",
        "logging.getLogger('mzk').setLevel(0)\nlogging.disable(0)",
        (
            "logging.getLogger('mzk').level",
            "logging.getLogger('mzk').setLevel(10)",
            "logging.disable(50)",
            "logging.getLogger('mzk').isEnabledFor(30)",
            "logging.addLevelName(10, 'TEN')",
            "logging.getLevelName(10)",
            "logging.root.manager.disable",
        ),
        "(logging.getLogger('mzk').level, logging.disable(0), logging.addLevelName(10, 'DEBUG'))[0]",
    ),
)

#: Texts, and objects that read them.
_TEXT: Final = (
    Kit(
        "formatter of texts",
        (
            "class Own(string.Formatter):\n    used = 0\n    def get_value(self, key, args, named):\n"
            "        self.used += 1\n        return self.used\nthing = Own()"
        ),
        ("thing.format('{a} {b}')", "thing.vformat('{a}', (), {})", "thing.used"),
        "thing.used",
    ),
    Kit(
        "element tree",
        "thing = xml.etree.ElementTree.fromstring('<a x=\"1\"><b/><c>t</c></a>')",
        (
            "thing.append(xml.etree.ElementTree.Element('d'))",
            "thing.set('x', '2')",
            "thing.get('x')",
            "[each.tag for each in thing]",
            "thing.find('c').text",
            "thing.remove(thing[0])",
            "xml.etree.ElementTree.tostring(thing)",
            "len(thing)",
            "thing.attrib.pop('x', None)",
            "thing.attrib['y'] = '1'",
            "thing[0].tag",
            "thing[0] = xml.etree.ElementTree.Element('e')",
            "thing.text = 'q'",
            "list(thing.iter())[-1].tag",
            "thing.insert(0, xml.etree.ElementTree.Element('f'))",
            "del thing[0]",
            "thing.clear()",
            "thing.items()",
            "copy.deepcopy(thing).tag",
            "''.join(thing.itertext())",
        ),
        "xml.etree.ElementTree.tostring(thing)",
        ("thing",),
    ),
    Kit(
        "shell words",
        "thing = shlex.shlex('a b c d')",
        ("thing.get_token()", "list(thing)", "thing.push_token('z')", "thing.lineno"),
        "thing.get_token()",
        ("thing",),
    ),
    Kit(
        "matcher",
        "thing = re.compile('a|b').scanner('abab')",
        ("thing.match() and 1", "thing.search().group()"),
        "thing.match() and 1",
    ),
    Kit(
        "found items",
        "thing = re.finditer('.', 'abcd')",
        ("next(thing).group()", "[each.group() for each in thing]"),
        "[each.group() for each in thing]",
    ),
    Kit(
        "sequence matcher",
        "thing = difflib.SequenceMatcher(None, 'abcd', 'abxd')",
        ("thing.set_seq2('xxxx')", "thing.ratio()", "thing.get_matching_blocks()[0].size", "thing.set_seq1('xb')"),
        "thing.ratio()",
    ),
    Kit(
        "json decoder",
        (
            "class Own(json.JSONEncoder):\n    count = 0\n    def default(self, o):\n        Own.count += 1\n"
            "        return Own.count\nitems = [1]"
        ),
        (
            "json.dumps({1, 2}, cls=Own)",
            "json.loads('[1, 2]', object_hook=items.append)",
            "json.loads('{\"a\": 1}', object_hook=items.append)",
            "json.dumps(items)",
            "items.append(2)",
            "Own.count",
        ),
        "(Own.count, items)",
    ),
    Kit(
        "translation",
        "thing = {97: 'x'}",
        (
            "'aab'.translate(thing)",
            "thing[98] = 'y'",
            "thing.pop(97, None)",
            "thing[97] = 'z'",
            "'{0[97]}'.format(thing)",
            "'%(a)s' % collections.defaultdict(str, thing)",
            "str.maketrans('a', 'b').update(thing)",
        ),
        "sorted(thing)",
    ),
    Kit(
        "names in texts",
        "thing = {'a': 1, 'b': 2}",
        (
            "'%(a)s %(b)s' % thing",
            "'{a} {b}'.format(**thing)",
            "'{a} {b}'.format_map(thing)",
            "string.Template('$a $b').safe_substitute(thing)",
            "thing['a'] += 1",
            "thing['b'] += 1",
            "thing.update(a=5, b=6)",
            "f\"{thing['a']} {thing['b']}\"",
            "eval('a + b', {}, thing)",
            "dict(thing, c=1)",
            "{**thing}",
        ),
        "thing",
    ),
    Kit(
        "message",
        "thing = email.message.Message()\nthing['a'] = '1'",
        (
            "thing['b'] = '2'",
            "thing['a']",
            "del thing['a']",
            "thing.keys()",
            "thing.as_string()",
            "thing.add_header('a', '3')",
            "thing.replace_header('a', '4')",
            "len(thing)",
            "thing.get_all('a')",
            "thing.set_payload('p')",
        ),
        "thing.as_string()",
    ),
    Kit(
        "cookies",
        "thing = http.cookies.SimpleCookie(a='1')",
        (
            "thing['b'] = '2'",
            "thing.output()",
            "thing['a'].value",
            "thing['a']['path'] = '/'",
            "thing.load('c=3')",
            "thing.pop('a', None) is None",
            "thing['a'].set('a', 'x', 'x')",
        ),
        "thing.output()",
    ),
    Kit(
        "reader of pages",
        (
            "class Own(html.parser.HTMLParser):\n    def handle_starttag(self, tag, attrs):\n"
            "        tags.append(tag)\ntags = []\nthing = Own()"
        ),
        ("thing.feed('<a><b')", "thing.feed('><c>')", "thing.rawdata", "thing.reset()", "thing.close()", "list(tags)"),
        "tags",
    ),
    Kit(
        "arguments",
        (
            "thing = argparse.Namespace(a=1)\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--a', type=int, default=0)"
        ),
        (
            "thing.a += 1",
            "repr(thing)",
            "parser.parse_args(['--a', '2'], thing).a",
            "parser.set_defaults(a=5)",
            "parser.parse_args([]).a",
            "thing == argparse.Namespace(a=2)",
            "'a' in thing",
            "vars(thing)['a']",
        ),
        "thing",
    ),
    Kit(
        "pretty printer",
        "thing = [1, {'a': [2]}]",
        (
            "pprint.pformat(thing)",
            "reprlib.repr(thing)",
            "thing[1]['a'].append(3)",
            "thing.append(4)",
            "thing[1]['b'] = 1",
        ),
        "thing",
    ),
    Kit(
        "lzma",
        "thing = lzma.LZMADecompressor()\ndata = lzma.compress(b'abc')",
        (
            "thing.decompress(data[:20])",
            "thing.decompress(data[20:])",
            "thing.eof",
            "thing.needs_input",
            "thing.unused_data",
        ),
        "thing.eof",
    ),
    Kit(
        "zip archive",
        "held = io.BytesIO()\nthing = zipfile.ZipFile(held, 'w')",
        (
            "thing.writestr('a', 'x')",
            "thing.namelist()",
            "thing.close()",
            "thing.getinfo('a').file_size",
            "len(held.getvalue())",
        ),
        "thing.namelist()",
    ),
    Kit(
        "tokens",
        "thing = tokenize.generate_tokens(io.StringIO('a + b').readline)",
        ("next(thing).string", "[each.string for each in thing]"),
        "len(list(thing))",
    ),
)

#: Objects, classes, functions, and state outside of the heap.
_OBJECTS: Final = (
    Kit(
        "exception",
        "thing = ValueError('a', 1)",
        (
            "thing.args",
            "thing.args = ('b',)",
            "repr(thing)",
            "str(thing)",
            "thing.add_note('n')",
            "getattr(thing, '__notes__', None)",
            "thing.x = 1",
            "sorted(vars(thing))",
            "vars(thing).update(x=3)",
            "thing.__cause__ = KeyError()",
            "type(thing.__cause__).__name__",
            "thing.__init__('c')",
            "thing.__setstate__({'y': 2})",
            "thing.__reduce__()[1:]",
            "copy.copy(thing).args",
            "thing.with_traceback(None).args",
            "thing.__suppress_context__",
            "thing.__traceback__ is None",
            "try:\n    raise thing\nexcept ValueError as error:\n    seen.append(error.args)",
            "''.join(traceback.format_exception_only(thing))",
        ),
        "(thing, sorted(vars(thing)))",
        ("thing.args",),
    ),
    Kit(
        "os error",
        "thing = OSError(2, 'm', 'f')",
        (
            "thing.errno",
            "thing.errno = 3",
            "str(thing)",
            "thing.filename = 'g'",
            "thing.strerror",
            "thing.__init__(5, 'z')",
            "repr(thing)",
            "thing.filename",
        ),
        "str(thing)",
    ),
    Kit(
        "group",
        "thing = ExceptionGroup('g', [ValueError(1), KeyError(2)])",
        (
            "thing.exceptions",
            "repr(thing)",
            "thing.split(ValueError)[0]",
            "thing.add_note('x')",
            "thing.subgroup(KeyError)",
            "thing.derive([ValueError(3)])",
            "str(thing)",
            "thing.message",
            "thing.exceptions[0].args = (9,)",
        ),
        "repr(thing)",
    ),
    Kit(
        "stop",
        "thing = StopIteration(1)",
        ("thing.value", "thing.value = 2", "thing.args", "thing.args = (3,)", "repr(thing)"),
        "(thing.value, thing.args)",
    ),
    Kit(
        "shown mapping",
        "under = {'a': 1}\nthing = types.MappingProxyType(under)",
        (
            "thing['a']",
            "under['b'] = 2",
            "under.pop('a', None)",
            "repr(thing)",
            "len(thing)",
            "thing.copy()",
            "thing | {'z': 1}",
            "thing == {'a': 1}",
            "sorted(thing)",
            "thing.get('b')",
            "'a' in thing",
            "list(thing.items())",
        ),
        "dict(thing)",
        ("thing",),
    ),
    Kit(
        "views",
        "under = {'a': 1, 'b': 2}\nkeys = under.keys()\nitems = under.items()",
        (
            "keys & {'a'}",
            "len(keys)",
            "sorted(items)",
            "under.pop('a', None)",
            "under['c'] = 3",
            "keys.mapping.get('c')",
            "('a', 1) in items",
            "keys == {'a', 'b'}",
            "keys | {'z'} == {'a', 'b', 'z'}",
            "keys.isdisjoint({'c'})",
            "list(reversed(keys))",
            "repr(items)",
            "{'a'} <= keys",
        ),
        "under",
        ("keys", "items"),
    ),
    Kit(
        "thread local",
        "class Own(threading.local):\n    n = 0\nthing = Own()\nthing.n = 1\nout = []",
        (
            "thing.n += 1\nseen.append(thing.n)",
            "thing.n",
            "out.append(thing.n)",
            "Own.n = 5",
            "vars(thing)",
            "sorted(thing.__dict__)",
        ),
        "(thing.n, out)",
    ),
    Kit(
        "stack of exits",
        "thing = contextlib.ExitStack()\nout = []",
        (
            "thing.callback(out.append, 1)",
            "thing.close()",
            "thing.pop_all().close()",
            "len(thing._exit_callbacks)",
            "out.append(2)",
            "with thing:\n    out.append(3)",
            "thing.enter_context(contextlib.nullcontext(4))",
            "thing.push(lambda *a: out.append(5))",
        ),
        "out",
    ),
    Kit(
        "coroutine",
        (
            "async def steps():\n    await asyncio_like(1)\n    await asyncio_like(2)\nclass asyncio_like:\n"
            "    def __init__(self, n):\n        self.n = n\n    def __await__(self):\n        yield self.n\n"
            "thing = steps()"
        ),
        ("thing.send(None)", "thing.close()", "thing.cr_running", "thing.cr_frame is None"),
        "thing.close()",
    ),
    Kit(
        "driven generator",
        (
            "def steps():\n    total = 0\n    while True:\n        try:\n            total += (yield total)\n"
            "        except ValueError:\n            total = 0\nthing = steps()\nnext(thing)"
        ),
        (
            "thing.send(1)",
            "thing.send(2)",
            "thing.throw(ValueError())",
            "thing.gi_running",
            "thing.close()",
            "thing.gi_frame is None",
        ),
        "thing.gi_frame is None",
    ),
    Kit(
        "bound methods",
        (
            "class Own:\n    n = 0\n    def grow(self):\n        self.n += 1\n        return self.n\n"
            "thing = Own()\ngrow = thing.grow"
        ),
        (
            "grow()",
            "grow.__self__.n",
            "thing.grow = lambda: 9",
            "thing.grow()",
            "Own.grow(thing)",
            "grow.__func__(thing)",
            "functools.partialmethod(Own.grow).__get__(thing)()",
            "operator.methodcaller('grow')(thing)",
            "vars(thing).pop('grow', None) is None",
            "list(map(Own.grow, [thing]))",
            "thing.__dict__['n'] = 5",
            "weakref.WeakMethod(thing.grow)() and 1",
        ),
        "thing.n",
        (),
        ("thing.n",),
        (("grow", ""),),
    ),
    Kit(
        "class of an object",
        (
            "class One:\n    k = 1\n    def f(self):\n        return 1\nclass Two:\n    k = 2\n"
            "    def f(self):\n        return 2\nthing = One()"
        ),
        (
            "thing.__class__ = Two",
            "thing.f()",
            "thing.k",
            "type(thing).__name__",
            "isinstance(thing, Two)",
            "thing.__class__.__name__",
            "One.f = lambda self: 3",
            "Two.k = 5",
            "del One.k",
            "object.__setattr__(thing, '__class__', Two)",
            "type.__setattr__(Two, 'k', 8)",
        ),
        "(type(thing).__name__, thing.f())",
    ),
    Kit(
        "dictionary of an object",
        "class Own:\n    pass\nthing = Own()\nthing.a = 1",
        (
            "thing.__dict__ = {'a': 5}",
            "thing.a",
            "thing.a += 1",
            "vars(thing)['b'] = 2",
            "sorted(vars(thing).items())",
            "vars(thing).clear()",
            "thing.__dict__ |= {'c': 3}",
            "'a' in vars(thing)",
            "getattr(thing, 'b', 0)",
            "vars(thing).update(a=9, b=8)",
            "object.__getattribute__(thing, '__dict__').get('a')",
            "copy.copy(thing).__dict__",
            "thing.__getstate__()",
            "pickle.dumps(vars(thing)) and 1",
            "inspect.getmembers(thing)[-1]",
            "dir(thing)[0]",
        ),
        "vars(thing)",
    ),
    Kit(
        "attributes made up",
        (
            "class Own:\n    made = 0\n    def __getattr__(self, name):\n        if name.startswith('_'):\n"
            "            raise AttributeError(name)\n        Own.made += 1\n"
            "        setattr(self, name, Own.made)\n        return Own.made\nthing = Own()"
        ),
        (
            "thing.a",
            "thing.b",
            "getattr(thing, 'a')",
            "hasattr(thing, 'c')",
            "del thing.a",
            "vars(thing)",
            "operator.attrgetter('a', 'b')(thing)",
        ),
        "(Own.made, vars(thing))",
    ),
    Kit(
        "descriptor",
        (
            "class Held:\n    def __set_name__(self, owner, name):\n        self.name = '_' + name\n"
            "    def __get__(self, thing, owner=None):\n"
            "        return self if thing is None else vars(thing).get(self.name, 0)\n"
            "    def __set__(self, thing, value):\n        vars(thing)[self.name] = value\nclass Own:\n"
            "    a = Held()\nthing = Own()"
        ),
        (
            "thing.a += 1",
            "thing.a",
            "Own.a.name = '_z'",
            "setattr(thing, 'a', 4)",
            "vars(thing)",
            "Own.__dict__['a'].__get__(thing)",
            "delattr(Own, 'a')",
        ),
        "vars(thing)",
    ),
    Kit(
        "registry of classes",
        (
            "class Base:\n    known = []\n    def __init_subclass__(cls, **named):\n"
            "        Base.known.append(cls.__name__)"
        ),
        (
            "type('A', (Base,), {}).__name__",
            "class B(Base):\n    pass",
            "len(Base.known)",
            "[each.__name__ for each in Base.__subclasses__()]",
            "Base.known.clear()",
        ),
        "Base.known",
    ),
    Kit(
        "class maker",
        (
            "class Meta(type):\n    made = 0\n    def __call__(cls, *given):\n        Meta.made += 1\n"
            "        return super().__call__(*given)\n    def __len__(cls):\n        return Meta.made\n"
            "class Own(metaclass=Meta):\n    pass"
        ),
        ("Own() and 1", "len(Own)", "Meta.made", "Meta.made = 5", "type(Own).made"),
        "Meta.made",
    ),
    Kit(
        "virtual classes",
        "class Shape(abc.ABC):\n    pass\nclass Own:\n    pass",
        ("Shape.register(Own).__name__", "isinstance(Own(), Shape)", "issubclass(Own, Shape)", "isinstance(3, Shape)"),
        "issubclass(Own, Shape)",
    ),
    Kit(
        "flags",
        "class Own(enum.Flag):\n    A = 1\n    B = 2\nnow = Own.A",
        (
            "now |= Own.B",
            "now &= ~Own.A",
            "Own.B in now",
            "list(now)",
            "now.value",
            "Own(3)",
            "Own['A'].value",
            "Own.A.note = 1",
            "getattr(Own.A, 'note', 0)",
        ),
        "now",
    ),
    Kit(
        "ordered by comparison",
        (
            "class Own:\n    n = 0\n    def __init__(self, v):\n        self.v = v\n"
            "    def __lt__(self, other):\n        Own.n += 1\n        return self.v < other.v\n"
            "thing = [Own(3), Own(1), Own(2)]"
        ),
        (
            "thing.sort() or Own.n",
            "[each.v for each in sorted(thing)]",
            "min(thing).v",
            "heapq.heappush(thing, Own(0))",
            "bisect.insort(thing, Own(2))",
            "heapq.heappop(thing).v",
            "thing.append(Own(5))",
            "thing.reverse()",
            "thing[0].v = 9",
            "[each.v for each in heapq.nsmallest(2, thing)]",
            "[each.v for each in heapq.merge(thing, [])]",
            "thing[0] < thing[-1]",
        ),
        "[each.v for each in thing]",
    ),
    Kit(
        "hashed by content",
        (
            "class Own:\n    def __init__(self, v):\n        self.v = v\n    def __eq__(self, other):\n"
            "        return self.v == other.v\n    def __hash__(self):\n        return hash(self.v)\n"
            "a = Own(1)\nthing = {a: 1}"
        ),
        (
            "thing.get(Own(1))",
            "a.v = 2",
            "Own(1) in thing",
            "a in thing",
            "thing[Own(2)] = 5",
            "len(thing)",
            "thing.pop(a, None)",
            "thing.setdefault(Own(1), 7)",
            "sorted(each.v for each in thing)",
            "thing.update({Own(1): 8})",
            "[Own(1)].count(a)",
        ),
        "sorted(each.v for each in thing)",
    ),
    Kit(
        "missing",
        (
            "class Own(dict):\n    asked = 0\n    def __missing__(self, key):\n        self.asked += 1\n"
            "        self[key] = self.asked\n        return self.asked\nthing = Own()"
        ),
        (
            "thing['a']",
            "thing['b']",
            "thing.get('a')",
            "thing.asked",
            "operator.itemgetter('a')(thing)",
            "'%(a)s' % thing",
            "'{a}'.format_map(thing)",
            "len(thing)",
            "thing.pop('a', None)",
            "eval('a', {}, thing)",
        ),
        "(dict(thing), thing.asked)",
    ),
    Kit(
        "container of one's own",
        (
            "class Own:\n    def __init__(self):\n        self.kept = [1, 2]\n    def __len__(self):\n"
            "        return len(self.kept)\n    def __getitem__(self, at):\n        return self.kept[at]\n"
            "    def __setitem__(self, at, value):\n        self.kept[at] = value\n"
            "    def __delitem__(self, at):\n        del self.kept[at]\n    def __contains__(self, value):\n"
            "        return value in self.kept\n    def __bool__(self):\n        return bool(self.kept)\n"
            "    def __iadd__(self, other):\n        self.kept.append(other)\n        return self\n"
            "thing = Own()"
        ),
        (
            "thing[0]",
            "thing[0] = 5",
            "del thing[0]",
            "2 in thing",
            "bool(thing)",
            "len(thing)",
            "list(thing)",
            "thing += 3",
            "iter(thing).__next__()",
            "list(reversed(thing))",
            "sum(thing)",
            "operator.setitem(thing, 0, 7)",
            "a, *b = thing\nseen.append(a)",
            "dict(enumerate(thing))",
        ),
        "thing.kept",
        ("thing",),
    ),
    Kit(
        "proxy",
        (
            "class Own:\n    n = 0\n    def __len__(self):\n        return self.n\nkept = [Own()]\n"
            "thing = weakref.proxy(kept[0])"
        ),
        ("thing.n += 1", "thing.n", "kept.clear()", "len(thing)", "hasattr(thing, 'n')", "kept[0].n"),
        "len(kept)",
    ),
    Kit(
        "scheduler",
        "thing = sched.scheduler(lambda: 0, lambda t: None)\nout = []",
        (
            "thing.enter(0, 1, out.append, (1,)) and 1",
            "thing.run(blocking=False)",
            "thing.empty()",
            "len(thing.queue)",
            "thing.enterabs(0, 2, out.append, (2,)) and 2",
            "out.append(3)",
        ),
        "out",
    ),
    Kit(
        "waiting values",
        "thing = queue.SimpleQueue()",
        (
            "thing.put(1)",
            "thing.qsize()",
            "thing.empty()",
            "thing.get_nowait()",
            "thing.put_nowait(2)",
            "thing.get(block=False)",
        ),
        "thing.qsize()",
    ),
    Kit(
        "queue by priority",
        "thing = queue.PriorityQueue()\nthing.put(3)",
        (
            "thing.put(1)",
            "thing.get_nowait()",
            "thing.qsize()",
            "thing.empty()",
            "thing.queue[0]",
            "thing.put((0,)) ",
            "thing.task_done()",
            "thing.unfinished_tasks",
        ),
        "sorted(map(str, thing.queue))",
    ),
    Kit(
        "bounded queue",
        "thing = queue.LifoQueue(2)\nthing.put(1)",
        (
            "thing.put_nowait(2)",
            "thing.get_nowait()",
            "thing.full()",
            "thing.maxsize",
            "thing.maxsize = 1",
            "thing.put(3, block=False)",
            "list(thing.queue)",
        ),
        "list(thing.queue)",
    ),
    Kit(
        "signature",
        "def function(a, b=[1]):\n    return (a, b, function.extra)\nfunction.extra = 0",
        (
            "function(1)",
            "function.__defaults__",
            "function.__defaults__ = (7,)",
            "function.__defaults__[0].append(2)",
            "str(inspect.signature(function))",
            "function.extra += 1",
            "function.__kwdefaults__",
            "function.__name__",
            "function.__name__ = 'g'",
            "function.__doc__ = 'd'",
            "function.__code__ = (lambda a, b: 4).__code__",
            "function.__dict__['extra'] = 9",
            "function.__annotations__['a'] = int",
            "function.__annotations__",
            "functools.update_wrapper(function, len) and 1",
            "typing.get_type_hints(function)",
        ),
        "function.__defaults__",
    ),
    Kit(
        "cell",
        (
            "def make():\n    n = 0\n    def ask():\n        return n\n    def grow():\n        nonlocal n\n"
            "        n += 1\n        return n\n    return ask, grow\nask, grow = make()"
        ),
        (
            "ask()",
            "grow()",
            "ask.__closure__[0].cell_contents",
            "ask.__closure__[0].cell_contents = 7",
            "inspect.getclosurevars(ask).nonlocals",
        ),
        "ask()",
        (),
        (),
        (("grow", ""),),
    ),
    Kit(
        "code run",
        "space = {'n': 1}",
        (
            "exec('n += 1', space)",
            "eval('n', space)",
            "space['n'] = 5",
            "exec('m = n', space)",
            "space.get('m')",
            "eval('n + 1', {}, space)",
            "exec('def f():\\n    return n', space) or space['f']()",
        ),
        "space['n']",
    ),
    Kit(
        "visitor",
        (
            "tree = ast.parse('a + b')\nclass Own(ast.NodeTransformer):\n    def visit_Name(self, node):\n"
            "        node.id += 'x'\n        return node"
        ),
        (
            "ast.unparse(tree)",
            "Own().visit(tree) and 1",
            "tree.body[0].value.left.id = 'q'",
            "[each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]",
            "ast.dump(tree)",
            "tree.body.append(ast.Pass())",
        ),
        "ast.unparse(tree)",
    ),
    Kit(
        "paths",
        "folder = tempfile.mkdtemp()\nfile = os.path.join(folder, 'f')",
        (
            "open(file, 'w').close()",
            "os.path.exists(file)",
            "os.listdir(folder)",
            "pathlib.Path(file).write_text('abc')",
            "pathlib.Path(file).read_text()",
            "os.remove(file)",
            "os.rename(file, file + '2')",
            "os.stat(file).st_size",
            "with open(file, 'a') as out:\n    out.write('x')",
            "glob.glob('*', root_dir=folder)",
            "shutil.copy(file, file + '3') and 1",
            "os.mkdir(file)",
            "os.path.getsize(file)",
            "sorted(each.name for each in os.scandir(folder))",
            "os.path.isdir(file)",
            "os.replace(file + '2', file)",
            "len(list(pathlib.Path(folder).iterdir()))",
            "open(file).read()",
            "os.truncate(file, 1)",
            "os.path.lexists(file + '2')",
            "os.link(file, file + '4')",
            "os.symlink(file, file + '5')",
            "os.access(file, os.R_OK)",
        ),
        "(sorted(os.listdir(folder)), shutil.rmtree(folder))[0]",
    ),
    Kit(
        "open file",
        "held = tempfile.TemporaryFile('w+')",
        (
            "held.write('ab')",
            "held.seek(0)",
            "held.read()",
            "held.tell()",
            "held.flush()",
            "held.truncate(1)",
            "held.close()",
            "held.closed",
            "held.readline()",
            "held.writelines(['c', 'd'])",
            "os.fstat(held.fileno()).st_size",
        ),
        "held.closed or (held.seek(0), held.read(), held.close())[1]",
        ("held",),
    ),
    Kit(
        "pipe",
        "ends = os.pipe()\nos.set_blocking(ends[0], False)",
        (
            "os.write(ends[1], b'a')",
            "os.write(ends[1], b'bc')",
            "os.read(ends[0], 1)",
            "os.read(ends[0], 9)",
            "os.close(ends[1])",
            "os.get_blocking(ends[0])",
            "len(select.select([ends[0]], [], [], 0)[0])",
        ),
        "os.close(ends[0])",
    ),
    Kit(
        "pair of sockets",
        "ends = socket.socketpair()\nends[0].setblocking(False)\nends[1].setblocking(False)",
        (
            "ends[0].send(b'a')",
            "ends[1].recv(1)",
            "ends[1].recv(9)",
            "ends[0].close()",
            "ends[0].sendall(b'xy')",
            "ends[1].gettimeout()",
            "ends[1].settimeout(0)",
            "ends[0].shutdown(socket.SHUT_WR)",
            "ends[1].recv(1, socket.MSG_PEEK)",
            "ends[0].fileno() >= 0",
        ),
        "(ends[0].close(), ends[1].close())",
    ),
    Kit(
        "shelf",
        "folder = tempfile.mkdtemp()\nthing = shelve.Shelf({})",
        (
            "thing['a'] = [1]",
            "thing['a']",
            "sorted(thing)",
            "thing.pop('a', None)",
            "len(thing)",
            "thing.setdefault('b', 2)",
            "thing.close()",
        ),
        "sorted(thing)",
    ),
    Kit(
        "reversed by key",
        "thing = {'b': 1, 'a': 2}",
        (
            "sorted(thing, key=thing.get)",
            "max(thing, key=thing.__getitem__)",
            "list(map(thing.get, 'ab'))",
            "thing['a'] = 0",
            "list(filter(thing.__contains__, 'abz'))",
            "thing.pop('b', None)",
            "sorted(thing.items(), key=operator.itemgetter(1))",
            "next(iter(thing.values()))",
            "thing.popitem()",
            "min(thing.values())",
            "sum(thing.values())",
            "list(itertools.accumulate(thing.values()))",
            "dict(sorted(thing.items()))",
            "thing | {'z': 0}",
            "thing == dict(thing)",
        ),
        "thing",
    ),
    Kit(
        "tuple of lists",
        "thing = ([1], [2])",
        (
            "thing[0].append(3)",
            "thing == ([1], [2])",
            "repr(thing)",
            "thing < ([1], [2, 3])",
            "hash(tuple(map(tuple, thing)))",
            "thing[1].extend(thing[0])",
            "[*map(len, thing)]",
            "sum(thing, [])",
            "copy.deepcopy(thing)",
            "list(itertools.chain.from_iterable(thing))",
            "thing[0][:] = thing[1]",
            "max(thing)",
            "thing.index([2])",
            "[1] in thing",
            "thing * 2",
            "str(thing)",
            "list(zip(*thing))",
            "list(itertools.product(*thing))",
            "list(itertools.zip_longest(*thing))",
            "list(map(operator.add, *thing))",
        ),
        "thing",
    ),
    Kit(
        "array of bytes",
        "thing = bytearray(b'abc')\nview = memoryview(b'abc')",
        (
            "bytes(thing)",
            "thing.find(b'c')",
            "thing.extend(b'd')",
            "thing[0] = 65",
            "b'x'.join([thing])",
            "thing + b'z'",
            "thing.upper()",
            "int.from_bytes(thing, 'big')",
            "thing.replace(b'a', b'q')",
            "del thing[0]",
            "thing *= 2",
            "thing.decode()",
            "bytes.join(b'', [thing, thing])",
            "thing in b'abcd'",
            "b'b' in thing",
            "thing.startswith(b'a')",
            "io.BytesIO(thing).read()",
            "binascii.hexlify(thing)",
            "zlib.crc32(thing)",
            "hashlib.md5(thing).hexdigest()",
            "struct.unpack_from('B', thing)",
            "array.array('b', thing).tolist()",
            "str(thing, 'ascii')",
            "f'{thing}'",
            "thing.pop()",
            "thing.hex()",
            "re.findall(b'.', thing)",
            "base64.b64encode(thing)",
            "codecs.decode(thing, 'hex')",
        ),
        "bytes(thing)",
    ),
    Kit(
        "annotated",
        "class Own:\n    a: int = 1\n    b: str = 'x'",
        (
            "Own.__annotations__",
            "Own.__annotations__['c'] = int",
            "typing.get_type_hints(Own)",
            "Own.a = 5",
            "Own.a",
            "Own().a",
            "inspect.get_annotations(Own)",
            "Own.__doc__ = 'd'",
            "Own.__doc__",
            "Own.__name__",
            "Own.__name__ = 'Other'",
            "repr(Own)[-6:]",
            "Own.__qualname__",
            "Own.__module__ = 'm'",
        ),
        "sorted(Own.__annotations__)",
    ),
)

LIBRARY_KITS: Final = (*_PROCESS, *_LOGGING, *_TEXT, *_OBJECTS)
