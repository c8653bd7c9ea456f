"""The operations of random programs over natives and the standard library: kits of an object and operations on it.

A kit has code that is run once (``setup``), operations that threads do (expressions, whose values are kept, or
statements, which keep values in ``seen``), and an expression for the final state (``final``). An operation must have
the same value at any time, and in any thread, if it comes after the same other operations: no addresses, no times, and
sets only sorted. An operation may raise: its value is then the class of the exception. ``iterables`` and ``values`` are
expressions for operations that any thing can be used in (:data:`AROUND_ITERABLES`, :data:`AROUND_VALUES`); ``targets``
are callables that are given to a thread as they are, with their arguments. A kit with ``stores`` has those that change
the thing there, and in ``operations`` those that look at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kit:
    """An object that threads share, and the operations that they do on it."""

    name: str
    setup: str
    operations: tuple[str, ...]
    final: str = "None"
    iterables: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    targets: tuple[tuple[str, str], ...] = ()
    stores: tuple[str, ...] = ()


#: Operations on any iterable.
AROUND_ITERABLES: Final = (
    "list({})",
    "sorted({}, key=str)",
    "len(list({}))",
    "tuple(map(str, {}))",
    "list(filter(None, {}))",
    "sum(1 for _ in {})",
    "[each for each in {}]",
    "dict.fromkeys({})",
    "[*{}]",
    "''.join(map(str, {}))",
    "list(zip({}, 'ab'))",
    "list(enumerate({}))",
    "next(iter({}), None)",
    "1 in {}",
    "max({}, key=str, default=None)",
    "functools.reduce(lambda done, each: done + 1, {}, 0)",
    "list(itertools.islice({}, 2))",
    "list(itertools.chain({}, (9,)))",
    "collections.Counter(map(str, {}))",
    "any(each == 2 for each in {})",
    "for each in {}:\n    seen.append(each)\n    if len(seen) > 6:\n        break",
    "first, *rest = {}\nseen.append((first, rest))",
)

#: Operations on any value.
AROUND_VALUES: Final = (
    "repr({})",
    'f"{{{}!s}}"',
    "'{{}}'.format({})",
    "'%s' % ({},)",
    "copy.deepcopy({})",
    "{} == {}",
    "bool({})",
    "json.dumps({}, default=str)",
    "pickle.loads(pickle.dumps({}))",
    "[{}] == [{}]",
    "str(({}, {}))",
    "isinstance({}, int)",
)

_IO = (
    Kit(
        "string stream",
        "thing = io.StringIO('abcdef')",
        ("thing.read(1)", "thing.write('x')", "thing.seek(0)", "thing.tell()", "thing.getvalue()", "thing.truncate(2)")
        + ("thing.readline()", "print('p', end='', file=thing)", "thing.close()", "thing.closed"),
        "None if thing.closed else thing.getvalue()",
        ("thing",),
        (),
        (("thing.write", "'w'"), ("thing.read", "2"), ("thing.truncate", "1")),
    ),
    Kit(
        "bytes stream",
        "thing = io.BytesIO(b'a\\nb\\nc')",
        ("thing.read(1)", "thing.write(b'x')", "thing.seek(0)", "thing.tell()", "thing.getvalue()", "next(thing)")
        + ("bytes(thing.getbuffer())", "thing.readinto(bytearray(2))", "thing.readlines()"),
        "thing.getvalue()",
        ("thing",),
        ("thing.getvalue()",),
        (("thing.write", "b'w'"), ("thing.readline", "")),
    ),
    Kit(
        "text over bytes",
        "raw = io.BytesIO(b'one two')\nthing = io.TextIOWrapper(raw, write_through=True)",
        ("thing.read(2)", "thing.write('x')", "thing.seek(0)", "raw.getvalue()", "raw.tell()", "thing.flush()"),
        "raw.getvalue()",
    ),
)

_ITERATORS = (
    Kit(
        "count",
        "thing = itertools.count(5)",
        ("next(thing)", "next(thing)", "thing.__next__()", "repr(thing)")
        + ("list(zip(thing, 'ab'))", "list(itertools.islice(thing, 2))"),
        "next(thing)",
        (),
        (),
        (("next", "thing"),),
    ),
    Kit(
        "cycle",
        "data = [1, 2]\nthing = itertools.cycle(data)",
        ("next(thing)", "next(thing)", "data.append(3)") + ("list(itertools.islice(thing, 2))",),
        "(next(thing), data)",
    ),
    Kit(
        "chain",
        "one = [1, 2]\ntwo = [3]\nthing = itertools.chain(one, two)",
        ("next(thing, None)", "one.pop()", "two.append(4)", "next(thing, None)"),
        "(one, two, list(thing))",
        ("thing",),
    ),
    Kit(
        "islice",
        "data = [1, 2, 3]\nthing = itertools.islice(data, 1, None)",
        ("next(thing, None)", "data.append(4)", "data.pop(0)"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "tee",
        "data = [1, 2, 3]\none, two = itertools.tee(iter(data))",
        ("next(one, None)", "next(two, None)", "data.pop()", "data.insert(0, 7)"),
        "(list(one), list(two))",
        ("one",),
    ),
    Kit(
        "zip",
        "data = [1, 2, 3]\nthing = zip(data, itertools.count())",
        ("next(thing, None)", "data.append(4)", "next(thing, None)", "data.pop()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "map",
        "data = [1, 2, 3]\nthing = map(str, data)",
        ("next(thing, None)", "data.append(4)", "data.clear()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "map of a function",
        "data = [1, 2]\nseen_by = []\ndef note(x):\n    seen_by.append(x)\n    return len(seen_by)\n"
        "thing = map(note, data)",
        ("next(thing, None)", "data.append(4)", "seen_by.pop()", "len(seen_by)"),
        "(data, list(thing), seen_by)",
    ),
    Kit(
        "enumerate",
        "data = [5, 6, 7]\nthing = enumerate(data)",
        ("next(thing, None)", "data.insert(0, 1)", "data.pop()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "starmap",
        "data = [(1, 2), (3, 4)]\nthing = itertools.starmap(pow, data)",
        ("next(thing, None)", "data.append((2, 2))", "data.pop()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "accumulate",
        "data = [1, 2, 3]\nthing = itertools.accumulate(data)",
        ("next(thing, None)", "data.append(4)", "data.reverse()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "groupby",
        "data = [1, 1, 2]\nthing = itertools.groupby(data)",
        ("next(thing, (None,))[0]", "data.append(3)", "[k for k, g in thing]", "data.pop(0)"),
        "data",
    ),
    Kit(
        "filter",
        "data = [0, 1, 2]\nthing = filter(None, data)",
        ("next(thing, None)", "data.append(4)", "data.remove(1)"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "others",
        "data = [1, 2, 3, 4]\none = itertools.pairwise(data)\ntwo = itertools.takewhile((3).__gt__, iter(data))",
        ("next(one, None)", "next(two, None)", "data.pop()", "data.insert(1, 8)"),
        "(data, list(one), list(two))",
    ),
    Kit(
        "product of lists",
        "data = [1, 2]\nmore = [3]",
        ("list(itertools.product(data, more))", "data.append(3)")
        + (
            "more.pop()",
            "list(itertools.permutations(data, 2))",
            "list(itertools.zip_longest(data, more))",
            "list(itertools.compress(data, more))",
        ),
        "(data, more)",
    ),
    Kit(
        "list iterator",
        "data = [1, 2, 3]\nthing = iter(data)",
        ("next(thing, None)", "data.append(4)", "data.pop()", "thing.__length_hint__()", "next(thing)"),
        "(data, list(thing))",
        ("thing",),
        (),
        (("next", "thing"),),
    ),
    Kit(
        "reversed list",
        "data = [1, 2, 3]\nthing = reversed(data)",
        ("next(thing, None)", "data.append(4)", "data.pop()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "dictionary iterators",
        "data = {1: 2, 3: 4}\nkeys = iter(data)\nitems = iter(data.items())",
        ("next(keys, None)", "next(items, None)", "data[1] = 5", "data.pop(3, None)", "data.setdefault(5, 6)"),
        "data",
        ("keys", "items"),
    ),
    Kit(
        "set iterator",
        "data = {1, 2, 3}\nthing = iter(data)",
        ("next(thing, None)", "data.add(4)", "data.discard(1)", "len(data)"),
        "sorted(data)",
        ("thing",),
    ),
    Kit(
        "deque iterator",
        "data = collections.deque([1, 2, 3])\nthing = iter(data)",
        ("next(thing, None)", "data.append(4)", "data[0]", "data.rotate()"),
        "data",
        ("thing",),
    ),
    Kit(
        "iterator of a callable",
        "data = [1, 2, 3]\nthing = iter(data.pop, 1)",
        ("next(thing, None)", "data.append(4)", "data[-1:]"),
        "data",
        ("thing",),
    ),
)

_GENERATORS = (
    Kit(
        "generator",
        "def make():\n    for each in range(3):\n        yield each\nthing = make()",
        ("next(thing, None)", "next(thing)", "thing.send(None)", "thing.close()", "thing.gi_frame is None"),
        "list(thing)",
        ("thing",),
        (),
        (("next", "thing"), ("thing.close", "")),
    ),
    Kit(
        "generator over state",
        "data = [1, 2]\ndef make():\n    for each in data:\n        got = yield each\n"
        "        if got:\n            data.append(got)\nthing = make()\nnext(thing)",
        ("next(thing, None)", "thing.send(5)", "data.pop()", "len(data)"),
        "data",
        ("thing",),
    ),
    Kit(
        "generator expression",
        "data = [1, 2, 3]\nthing = (each * 2 for each in data)",
        ("next(thing, None)", "data.append(4)", "data.pop()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "yield from",
        "data = [1, 2, 3]\ndef make():\n    yield from data\n    return 9\nthing = make()",
        ("next(thing, None)", "data.append(4)", "data.clear()"),
        "(data, list(thing))",
        ("thing",),
    ),
    Kit(
        "context manager of a generator",
        "events = []\n@contextlib.contextmanager\ndef enter():\n    events.append(1)\n"
        "    yield len(events)\n    events.append(2)",
        ("with enter() as got:\n    seen.append(got)", "len(events)", "events.append(3)"),
        "events",
    ),
)

_CODECS = (
    Kit(
        "hash",
        "thing = hashlib.sha256()",
        ("thing.update(b'a')", "thing.update(b'b')", "thing.hexdigest()[:6]") + ("thing.copy().hexdigest()[:6]",),
        "thing.hexdigest()",
        (),
        (),
        (("thing.update", "b'c'"),),
    ),
    Kit(
        "keyed hash",
        "thing = hmac.new(b'key', digestmod='sha256')",
        ("thing.update(b'a')", "thing.update(b'b')", "thing.hexdigest()[:6]"),
        "thing.hexdigest()",
    ),
    Kit(
        "compressor",
        "thing = zlib.compressobj()\nout = []",
        ("out.append(thing.compress(b'a'))", "out.append(thing.compress(b'b'))", "out.append(thing.flush(2))"),
        "zlib.decompressobj().decompress(b''.join(out) + thing.flush())",
    ),
    Kit(
        "decompressor",
        "data = zlib.compress(b'abc')\nthing = zlib.decompressobj()",
        ("thing.decompress(data[:4])", "thing.decompress(data[4:])", "thing.eof", "thing.unused_data"),
        "thing.eof",
    ),
    Kit(
        "bz2",
        "thing = bz2.BZ2Compressor()\nout = []",
        ("out.append(thing.compress(b'a'))", "out.append(thing.compress(b'b'))"),
        "bz2.decompress(b''.join(out) + thing.flush())",
    ),
    Kit(
        "crc",
        "total = [0]",
        ("total[0] = zlib.crc32(b'a', total[0])", "total[0] = binascii.crc32(b'b', total[0])"),
        "total",
    ),
    Kit(
        "incremental decoder",
        "thing = codecs.getincrementaldecoder('utf-8')()",
        ("thing.decode(b'\\xc3')", "thing.decode(b'\\xa4')", "thing.reset()", "thing.getstate()"),
        "thing.getstate()",
    ),
)

_NUMBERS = (
    Kit(
        "random object",
        "thing = random.Random(3)",
        ("thing.random()", "thing.randrange(9)", "thing.choice('abc')", "thing.seed(3)", "thing.getstate()[1][-1]"),
        "thing.random()",
        (),
        (),
        (("thing.seed", "7"), ("thing.random", "")),
    ),
    Kit(
        "shuffled",
        "thing = random.Random(3)\ndata = [1, 2, 3]",
        ("thing.shuffle(data)", "thing.sample(data, 2)", "data.append(4)", "thing.choice(data)"),
        "data",
    ),
    Kit(
        "random functions",
        "random.seed(5)",
        ("random.random()", "random.seed(5)", "random.randint(0, 9)", "random.choice('abcd')"),
        "random.random()",
    ),
    Kit(
        "decimal context",
        "thing = decimal.Context(prec=4)",
        ("thing.divide(1, 3)", "setattr(thing, 'prec', 2)", "thing.prec", "thing.flags[decimal.Inexact]")
        + ("thing.clear_flags()", "thing.create_decimal('1.23456')", "thing.sqrt(decimal.Decimal(2))"),
        "(thing.prec, thing.flags[decimal.Inexact])",
    ),
    Kit(
        "context of a thread",
        "",
        (
            "decimal.getcontext().prec",
            "setattr(decimal.getcontext(), 'prec', 5)",
            "decimal.Decimal(1) / 3",
            "with decimal.localcontext() as here:\n    here.prec = 3\n    seen.append(decimal.Decimal(1) / 7)",
        ),
        "decimal.Decimal(1) / 3",
    ),
    Kit(
        "fractions and decimals",
        "box = [fractions.Fraction(1, 2), decimal.Decimal(1)]",
        ("box[0] += 1", "box[1] += 1", "box[0] * box[0]", "box[1] = box[1] / 2", "sum(map(float, box))"),
        "box",
    ),
    Kit(
        "statistics",
        "data = [1, 2, 3]",
        ("statistics.mean(data)", "data.append(6)", "statistics.median(data)")
        + ("math.fsum(data)", "math.prod(data)", "data.pop()", "math.dist(data[:2], (0, 0))"),
        "data",
    ),
)

_BUFFERS = (
    Kit(
        "array",
        "thing = array.array('i', [1, 2])",
        ("thing.append(3)", "thing.pop()", "thing[0] += 1", "thing.tolist()", "len(thing)", "thing.extend([7])")
        + ("sum(thing)", "thing[1:]", "bytes(thing)[:1]", "thing.index(2)"),
        "thing",
        ("thing",),
        ("thing",),
        (("thing.append", "8"), ("thing.pop", "")),
    ),
    Kit(
        "bytearray",
        "thing = bytearray(b'abc')",
        ("thing.append(100)", "thing.pop()", "thing[0] += 1", "bytes(thing)", "len(thing)", "thing.extend(b'x')")
        + ("b'b' in thing", "thing.decode()", "thing += b'y'", "thing.find(b'c')", "thing.clear()"),
        "thing",
        ("thing",),
        ("bytes(thing)",),
        (("thing.clear", ""), ("thing.append", "101")),
    ),
    Kit(
        "views of bytes",
        "data = bytearray(4)\nview = memoryview(data)\nhalf = view[2:]",
        ("view[2] += 1", "half[0] += 1", "bytes(half)", "data[2] = 9", "half.tolist()", "view.release()")
        + ("data.append(1)", "view[:2] = b'xy'", "view.tobytes()"),
        "data",
    ),
    Kit(
        "packed",
        "data = bytearray(8)",
        ("struct.pack_into('<i', data, 0, 5)", "struct.unpack_from('<i', data, 0)")
        + ("struct.pack_into('<h', data, 2, 1)", "data[0] += 1", "int.from_bytes(data[:4], 'little')"),
        "data",
    ),
    Kit(
        "packed by a format",
        "form = struct.Struct('<i')\ndata = bytearray(4)",
        ("form.pack_into(data, 0, 7)", "form.unpack_from(data)", "form.unpack(bytes(data))", "data[1] = 1"),
        "data",
    ),
    Kit(
        "C array",
        "thing = (ctypes.c_int * 3)(1, 2, 3)\nview = memoryview(thing)",
        ("thing[0] += 1", "list(thing)", "thing[0] = 5", "bytes(thing)[:1]", "ctypes.memset(thing, 0, 4) and None")
        + ("sum(thing)", "view.nbytes", "bytes(view)[:2]"),
        "list(thing)",
    ),
    Kit(
        "C structure",
        "class Pair(ctypes.Structure):\n    _fields_ = [('a', ctypes.c_int), ('b', ctypes.c_int)]\n"
        "thing = Pair(1, 2)\nvalue = ctypes.c_int(4)",
        ("setattr(thing, 'a', thing.a + 1)", "thing.a + thing.b", "thing.b = 7", "value.value += 1", "value.value"),
        "(thing.a, thing.b, value.value)",
    ),
    Kit(
        "mapped memory",
        "thing = mmap.mmap(-1, 8)",
        ("thing.write(b'a')", "thing[0]", "thing[:2]", "thing.seek(0)", "thing.tell()", "thing.read(1)")
        + ("thing[0] = 66", "thing.find(b'a')"),
        "thing[:]",
    ),
)

_NUMPY = (
    Kit(
        "numpy array",
        "thing = numpy.zeros(3, int)",
        ("thing[0] += 1", "thing.sum().item()", "thing.fill(2)", "thing.tolist()", "thing += 1", "thing[:] = 5")
        + ("thing[thing > 0].tolist()", "numpy.add(thing, 1, out=thing) is None", "int(thing[1])", "thing.item(0)")
        + ("(thing == 0).all().item()", "thing.sort()", "numpy.copyto(thing, 3)", "numpy.sum(thing).item()"),
        "thing.tolist()",
        ("thing.tolist()",),
        (),
        (("thing.fill", "4"), ("thing.sort", "")),
    ),
    Kit(
        "views of an array",
        "base = numpy.arange(4)\nhalf = base[2:]\nsquare = base.reshape(2, 2)",
        ("half[0] += 1", "base[2] += 1", "square[1, 0] += 1", "half.tolist()", "square.T.tolist()", "half[:] = 7")
        + ("base.sum().item()", "numpy.multiply(half, 2, out=half) is None", "square.flat[2] = 1"),
        "base.tolist()",
    ),
    Kit(
        "resized array",
        "thing = numpy.zeros(2, int)",
        ("thing.resize(3, refcheck=False)", "thing.shape", "thing[1] = 4", "thing.size", "thing[-1] += 1"),
        "thing.tolist()",
    ),
    Kit(
        "array of objects",
        "thing = numpy.array([[1], [2]], dtype=object)\nbox = numpy.empty(1, dtype=object)\nbox[0] = []",
        ("box[0].append(1)", "len(box[0])", "box[0] = [5]", "list(box[0])", "repr(thing)"),
        "(box[0], thing.tolist())",
    ),
    Kit(
        "numpy generator",
        "thing = numpy.random.default_rng(3)",
        ("thing.integers(9).item()", "thing.random()", "thing.permutation(3).tolist()"),
        "thing.random()",
    ),
    Kit(
        "array as counter",
        "thing = numpy.zeros((), int)\ncount = {'n': 0}",
        ("thing += 1", "thing[()] = count['n']", "count['n'] += 1", "thing.item()"),
        "(thing.item(), count)",
    ),
)

_CONTAINERS = (
    Kit(
        "heap",
        "thing = [3, 1, 2]\nheapq.heapify(thing)",
        ("heapq.heappush(thing, 0)", "heapq.heappop(thing)", "heapq.heappushpop(thing, 2)", "thing[0]")
        + ("heapq.nsmallest(2, thing)", "heapq.heapreplace(thing, 5)", "list(heapq.merge(thing, [2]))"),
        "thing",
        ("thing",),
        ("thing",),
    ),
    Kit(
        "bisect",
        "thing = [1, 3, 5]",
        ("bisect.insort(thing, 2)", "bisect.bisect(thing, 3)", "thing.pop(0)")
        + ("bisect.bisect_left(thing, 4)", "bisect.insort(thing, 4, key=int)"),
        "thing",
        ("thing",),
    ),
    Kit(
        "deque",
        "thing = collections.deque([1, 2], 3)",
        ("thing.append(3)", "thing.popleft()", "thing.appendleft(0)", "thing.rotate(1)", "thing[0]", "len(thing)")
        + (
            "thing.extend([8, 9])",
            "thing.remove(2)",
            "thing.maxlen",
            "thing.copy()",
            "thing.index(2)",
            "thing.clear()",
        ),
        "thing",
        ("thing",),
        ("thing[-1]",),
        (("thing.popleft", ""), ("thing.append", "4"), ("thing.clear", "")),
    ),
    Kit(
        "ordered dictionary",
        "thing = collections.OrderedDict(a=1, b=2)",
        ("thing.move_to_end('a')", "thing.popitem(last=False)", "thing['c'] = 3", "next(iter(thing), None)")
        + ("thing.pop('a', None)", "list(reversed(thing))", "thing['a'] = 9", "thing == {'a': 1}", "del thing['b']"),
        "list(thing.items())",
        ("thing", "thing.items()"),
        ("thing",),
        (("thing.popitem", "False"),),
    ),
    Kit(
        "counter",
        "thing = collections.Counter('aab')",
        ("thing['a'] += 1", "thing.update('ab')", "thing.subtract('a')", "thing.most_common(1)", "thing.total()")
        + ("thing.update(a=2)", "+thing", "thing['z']", "sorted(thing.elements())", "thing.pop('b', 0)")
        + ("thing += collections.Counter('a')",),
        "sorted(thing.items())",
        ("thing.values()",),
        ("thing['a']",),
        (("thing.update", "'b'"), ("thing.clear", "")),
    ),
    Kit(
        "dictionary of defaults",
        "thing = collections.defaultdict(list)",
        ("thing['a'].append(1)", "thing['b']", "len(thing)", "thing.get('a')", "'a' in thing", "thing.pop('a', None)")
        + ("sorted(thing)", "thing['a'] = [7]"),
        "sorted(thing.items())",
        ("thing",),
        ("thing.get('a')",),
    ),
    Kit(
        "defaults by a function",
        "made = []\ndef fresh():\n    made.append(1)\n    return len(made)\nthing = collections.defaultdict(fresh)",
        ("thing['a']", "thing['b']", "made.append(0)", "'a' in thing", "thing.setdefault('a', 9)"),
        "(thing['a'], made)",
    ),
    Kit(
        "chain of maps",
        "one = {'a': 1}\ntwo = {'a': 2, 'b': 3}\nthing = collections.ChainMap(one, two)",
        ("thing['a']", "one.pop('a', None)", "thing['c'] = 4", "sorted(thing)", "thing.get('b')", "del two['b']")
        + ("thing.maps.append({'z': 0})", "len(thing)", "thing.new_child({'a': 5})['a']", "'b' in thing"),
        "(one, two)",
        (),
        ("thing['b']",),
    ),
    Kit(
        "user's dictionary",
        "thing = collections.UserDict(a=1)",
        ("thing['a'] += 1", "thing.pop('a', None)", "thing.setdefault('b', 2)", "'a' in thing", "len(thing)")
        + ("thing.update(c=3)", "dict(thing)", "thing.data['a'] = 7"),
        "thing",
        ("thing",),
        ("thing",),
    ),
    Kit(
        "user's list",
        "thing = collections.UserList([1, 2])",
        ("thing.append(3)", "thing.pop()", "thing[0] += 1", "len(thing)", "thing + [9]", "thing.data", "thing *= 2"),
        "thing",
        ("thing",),
        ("thing",),
    ),
    Kit(
        "dictionary",
        "thing = {1: 'a', 2: 'b'}",
        (
            "thing.pop(1, None)",
            "thing.setdefault(3, 'c')",
            "thing | {4: 'd'}",
            "thing.popitem()",
            "thing.update({1: 'z'})",
        )
        + ("len(thing)", "thing.get(decimal.Decimal(1))", "list(thing.items())", "thing == {1: 'a'}", "1.0 in thing")
        + ("{**thing}", "thing.keys() & {1, 3}", "thing[True]", "thing |= {5: 'e'}", "thing.copy()"),
        "thing",
        ("thing", "thing.values()"),
        ("thing",),
        (("thing.pop", "1"), ("thing.clear", ""), ("thing.popitem", "")),
    ),
    Kit(
        "set",
        "thing = {1, 2}",
        ("thing.add(3)", "thing.discard(1)", "1 in thing", "thing >= {1}", "sorted(thing | {7})")
        + ("thing.update([4, 5])", "thing.remove(2)", "len(thing)", "thing &= {1, 3}", "thing.isdisjoint([1])")
        + ("sorted(thing ^ {1})", "thing == {1, 2}", "frozenset(thing) == {1}"),
        "sorted(thing)",
        (),
        (),
        (("thing.add", "6"), ("thing.clear", ""), ("thing.remove", "1")),
    ),
    Kit(
        "list",
        "thing = [1, 2, 3]",
        ("thing.append(4)", "thing.pop()", "thing[0] += 1", "thing.index(2)", "thing[1:]")
        + ("thing.sort(reverse=True)", "thing[:] = [9]", "del thing[0]", "thing * 2", "thing.count(1)", "thing += [5]")
        + ("thing == [1, 2, 3]", "thing.insert(0, 6)", "thing.reverse()", "sorted(thing)", "thing[-1]", "thing.copy()")
        + ("thing < [1, 5]", "[thing, 1] == [[1], 1]", "thing[::2] = thing[1:]"),
        "thing",
        ("thing",),
        ("thing",),
        (("thing.append", "7"), ("thing.pop", ""), ("thing.clear", ""), ("thing.sort", "")),
    ),
    Kit(
        "nested",
        "inner = [1]\nthing = {'a': inner, 'b': (inner, 2)}",
        ("inner.append(2)", "thing['b'] == ([1], 2)", "str(thing)", "copy.deepcopy(thing)", "inner in thing.values()")
        + ("json.dumps(thing)", "thing['a'] = [5]", "'{x[a][0]}'.format(x=thing)", "[[1], 2] == [inner, 2]"),
        "thing",
        (),
        ("thing", "inner"),
    ),
    Kit(
        "keys that are equal",
        "day = datetime.date\nthing = {day(2020, 1, 1): 0, uuid.UUID(int=1): 0}",
        ("thing[day(2020, 1, 1)] += 1", "thing[uuid.UUID(int=1)] += 1", "sum(thing.values())")
        + ("thing.pop(day(2020, 1, 1), None)", "day(2020, 1, 1) in thing"),
        "list(thing.values())",
    ),
)

_VALUES = (
    Kit(
        "namespace",
        "thing = types.SimpleNamespace(a=1, b=[2])",
        ("thing.a += 1", "thing.b.append(3)", "repr(thing)", "thing == types.SimpleNamespace(a=1, b=[2])")
        + ("vars(thing).pop('a', None)", "hasattr(thing, 'a')", "thing.c = 4", "sorted(thing.__dict__)"),
        "thing",
        ("thing.b",),
        ("thing.a",),
    ),
    Kit(
        "csv writer",
        "out = io.StringIO()\nthing = csv.writer(out)",
        ("thing.writerow([1, 2])", "thing.writerows([[3], [4]])", "out.getvalue()", "out.tell()"),
        "out.getvalue()",
    ),
    Kit(
        "csv reader",
        "lines = ['a,b', 'c,d']\nthing = csv.reader(lines)",
        ("next(thing, None)", "lines.append('e')", "thing.line_num", "lines.pop()"),
        "list(thing)",
    ),
    Kit(
        "csv of dictionaries",
        "out = io.StringIO()\nthing = csv.DictWriter(out, ['a', 'b'])",
        ("thing.writeheader()", "thing.writerow({'a': 1, 'b': 2})", "out.getvalue()"),
        "out.getvalue()",
    ),
    Kit(
        "database",
        "thing = sqlite3.connect(':memory:', check_same_thread=False)\n"
        "thing.execute('create table t (n)')\nthing.execute('insert into t values (1)')",
        ("thing.execute('select sum(n) from t').fetchone()", "thing.execute('insert into t values (2)') and None")
        + ("thing.execute('update t set n = n + 1').rowcount", "thing.total_changes", "thing.commit()"),
        "thing.execute('select n from t').fetchall()",
    ),
    Kit(
        "cursor",
        "base = sqlite3.connect(':memory:', check_same_thread=False)\n"
        "thing = base.execute('select 1 union select 2 union select 3')",
        ("thing.fetchone()", "next(thing, None)", "thing.fetchmany(2)"),
        "thing.fetchall()",
    ),
    Kit(
        "context variable",
        "thing = contextvars.ContextVar('thing', default=0)\nshared = contextvars.Context()",
        (
            "thing.get()",
            "thing.set(thing.get() + 1) and None",
            "shared.run(thing.get)",
            "shared.run(thing.set, 5) and 1",
        )
        + ("contextvars.copy_context().run(thing.get)", "len(shared)"),
        "(thing.get(), shared.get(thing))",
    ),
    Kit(
        "template",
        "thing = {'a': 1}\nform = string.Template('$a-$b')",
        (
            "form.safe_substitute(thing)",
            "thing['b'] = 2",
            "form.substitute(thing)",
            "thing.pop('a', None)",
            "string.Formatter().vformat('{a}', (), thing)",
        ),
        "thing",
    ),
    Kit(
        "configuration",
        "thing = configparser.ConfigParser()\nthing.read_string('[s]\\na = 1\\n')",
        ("thing['s']['a']", "thing['s']['b'] = '2'", "thing.remove_option('s', 'a')", "thing.sections()")
        + ("thing.has_option('s', 'a')", "thing.getint('s', 'a')", "thing.add_section('t')"),
        "{each: dict(thing[each]) for each in thing.sections()}",
    ),
    Kit(
        "mock",
        "thing = unittest.mock.Mock(return_value=3)",
        (
            "thing(1)",
            "thing.call_count",
            "thing.m(2) and None",
            "thing.called",
            "thing.reset_mock()",
            "thing.call_args",
        ),
        "(thing.call_count, thing.m.call_count)",
    ),
    Kit(
        "side effects",
        "data = [1, 2]\nthing = unittest.mock.Mock(side_effect=[1, 2, 3])",
        ("thing()", "thing.call_count", "thing()"),
        "thing.call_count",
    ),
    Kit(
        "copies",
        "thing = {'a': [1, 2]}",
        ("copy.copy(thing)", "copy.deepcopy(thing)", "thing['a'].append(3)")
        + (
            "json.dumps(thing)",
            "pickle.loads(pickle.dumps(thing))",
            "thing['b'] = []",
            "json.loads(json.dumps(thing))",
        ),
        "thing",
        (),
        ("thing",),
    ),
    Kit(
        "pickler",
        "out = io.BytesIO()\nthing = pickle.Pickler(out)\ndata = [1]",
        ("thing.dump(data)", "data.append(2)", "thing.clear_memo()", "len(out.getvalue())"),
        "len(out.getvalue())",
    ),
    Kit(
        "queue without a model",
        "thing = queue.SimpleQueue()\nthing.put(1)",
        ("thing.put(2)", "thing.get_nowait()", "thing.empty()", "thing.qsize()"),
        "thing.qsize()",
    ),
    Kit(
        "text made of parts",
        "words = ['a', 'b']\ntable = {'n': 1}",
        ("','.join(words)", "words.append('c')", "'{n} {m}'.format_map(table)", "table['m'] = 2", "'%(n)s' % table")
        + ("f'{words!r} {table}'", "textwrap.fill(' '.join(words))", "words.pop()", "'{0[n]}'.format(table)"),
        "(words, table)",
        ("words",),
    ),
    Kit(
        "expressions with effects",
        "data = [1, 2, 3]",
        (
            "re.sub('a', lambda m: str(data.pop()), 'aa')",
            "len(data)",
            "data.append(4)",
            "sorted([3, 1], key=data.index)",
            "list(map(data.count, [1, 2]))",
            "max([1, 2], key=data.count)",
            "all(map(data.__contains__, [1, 2]))",
        ),
        "data",
    ),
    Kit(
        "program text",
        "thing = {'n': 0}\ndef show():\n    return thing['n']",
        ("exec(\"thing['n'] += 1\")", "eval(\"thing['n'] + 1\")", "eval('n', thing)", "thing['n'] += 1", "show()")
        + ("exec('n = 5', {}, thing)",),
        "thing['n']",
    ),
    Kit(
        "graph order",
        "thing = graphlib.TopologicalSorter({2: {1}, 3: {1}})\nthing.prepare()",
        ("sorted(thing.get_ready())", "thing.done(1)", "thing.is_active()"),
        "thing.is_active()",
    ),
)

_FUNCTIONS = (
    Kit(
        "cached function",
        "box = {'n': 1}\n@functools.lru_cache\ndef thing(x):\n    return box['n'] + x",
        ("thing(1)", "box['n'] = 5", "thing.cache_clear()", "thing.cache_info().currsize", "thing(2)"),
        "thing(1)",
    ),
    Kit(
        "cached property",
        "class Thing:\n    n = 1\n    @functools.cached_property\n    def p(self):\n"
        "        return self.n\nthing = Thing()",
        ("thing.p", "thing.n = 5", "'p' in vars(thing)", "vars(thing).pop('p', None)"),
        "thing.p",
    ),
    Kit(
        "partials",
        "data = [1]\npush = functools.partial(data.append, 2)\ntake = functools.partial(data.pop)\n"
        "show = functools.partial(sorted, data)",
        ("push()", "take()", "show()", "len(data)"),
        "data",
        (),
        (),
        (("push", ""), ("take", "")),
    ),
    Kit(
        "operator functions",
        "thing = {'a': 1}\nbox = types.SimpleNamespace(x=1, data=[1])\n"
        "get = operator.itemgetter('a')\nsee = operator.attrgetter('x')\n"
        "call = operator.methodcaller('setdefault', 'b', 7)",
        ("operator.setitem(thing, 'a', 5)", "operator.getitem(thing, 'a')", "get(thing)", "see(box)", "call(thing)")
        + ("setattr(box, 'x', 6)", "operator.iadd(box.data, [2])", "operator.contains(thing, 'b')", "len(box.data)")
        + ("operator.delitem(thing, 'a')", "operator.length_hint(box.data)"),
        "(thing, box)",
        (),
        (),
        (("operator.setitem", "thing, 'a', 9"), ("call", "thing")),
    ),
    Kit(
        "single dispatch",
        "@functools.singledispatch\ndef thing(x):\n    return 'any'",
        ("thing(1)", "thing.register(int, lambda x: 'int') and None", "thing('a')", "len(thing.registry)"),
        "thing(1)",
    ),
    Kit(
        "closure",
        "def make():\n    n = 0\n    def bump():\n        nonlocal n\n        n += 1\n        return n\n"
        "    def show():\n        return n\n    return bump, show\nbump, show = make()",
        ("bump()", "show()", "bump.__closure__[0].cell_contents", "bump()"),
        "show()",
        (),
        (),
        (("bump", ""),),
    ),
    Kit(
        "globals",
        "total = 0\ndef bump():\n    global total\n    total += 1\n    return total",
        ("bump()", "total", "globals()['total']", "globals().update(total=7)"),
        "total",
    ),
    Kit(
        "function attributes",
        "def thing(x=1):\n    return x\nthing.n = 0",
        ("thing.n += 1", "thing()", "thing.__defaults__ = (5,)", "thing.n", "vars(thing).get('n')"),
        "(thing.n, thing())",
    ),
    Kit(
        "module attributes",
        "thing = types.ModuleType('thing')\nthing.n = 0",
        ("thing.n += 1", "vars(thing)['n']", "setattr(thing, 'm', 1)", "hasattr(thing, 'm')", "thing.n"),
        "thing.n",
    ),
    Kit(
        "native keys",
        "scores = {'a': 3, 'b': 1}\nnames = ['a', 'b']",
        ("sorted(names, key=scores.get)", "max(names, key=scores.__getitem__)", "scores['a'] = 0", "scores.pop('b', 0)")
        + (
            "list(map(scores.get, names))",
            "list(filter(scores.__contains__, 'abc'))",
            "names.append('b')",
            "min(scores, key=scores.get, default=None)",
            "names.sort(key=scores.get)",
        ),
        "(scores, names)",
    ),
)

_CLASSES = (
    Kit(
        "data class",
        "@dataclasses.dataclass\nclass Point:\n    x: int = 1\n    y: list = "
        "dataclasses.field(default_factory=list)\nthing = Point()\nother = Point()",
        ("thing.x += 1", "dataclasses.asdict(thing)", "thing == other", "repr(thing)", "thing.y.append(2)")
        + ("dataclasses.replace(thing, x=7)", "dataclasses.astuple(thing)", "other.x = 2"),
        "(thing, other)",
    ),
    Kit(
        "frozen data class as key",
        "@dataclasses.dataclass(frozen=True)\nclass Key:\n    a: int\nthing = {Key(1): 0}",
        ("thing[Key(1)] += 1", "thing.get(Key(1))", "thing.pop(Key(1), None)", "len(thing)"),
        "list(thing.values())",
    ),
    Kit(
        "named tuple",
        "Pair = collections.namedtuple('Pair', 'a b')\nthing = [Pair(1, [2])]",
        (
            "thing[0] = thing[0]._replace(a=thing[0].a + 1)",
            "thing[0].b.append(1)",
            "thing[0]._asdict()",
            "sum(thing[0].b)",
        ),
        "thing",
    ),
    Kit(
        "enumeration",
        "class Colour(enum.Enum):\n    RED = 1\n    BLUE = 2\ncount = {Colour.RED: 0}\nColour.RED.n = 0",
        ("count[Colour.RED] += 1", "Colour(1).n", "Colour.RED.n += 1", "len(Colour)", "count.get(Colour['RED'])")
        + ("Colour.RED in count", "[each.name for each in Colour]"),
        "(list(count.values()), Colour.RED.n)",
    ),
    Kit(
        "class attributes",
        "class Thing:\n    n = 0\n    made = []\n    def __init__(self):\n        Thing.n += 1\n"
        "        self.made.append(Thing.n)",
        (
            "Thing() and None",
            "Thing.n",
            "Thing.n += 1",
            "len(Thing.made)",
            "setattr(Thing, 'm', 3)",
            "getattr(Thing, 'm', 0)",
        )
        + ("vars(Thing)['n']",),
        "(Thing.n, Thing.made)",
    ),
    Kit(
        "slots",
        "class Thing:\n    __slots__ = ('a', 'b')\nthing = Thing()\nthing.a = 1",
        ("thing.a += 1", "hasattr(thing, 'b')", "thing.b = 2", "del thing.b", "Thing.a.__get__(thing)", "thing.a"),
        "thing.a",
    ),
    Kit(
        "methods that change",
        "class Thing:\n    def go(self):\n        return 1\nthing = Thing()",
        ("thing.go()", "Thing.go = lambda self: 2", "thing.go = lambda: 3", "vars(thing).pop('go', None) and None"),
        "thing.go()",
    ),
    Kit(
        "special methods",
        "class Thing:\n    def __init__(self):\n        self.n = 1\n        self.d = {}\n"
        "    def __len__(self):\n        return len(self.d)\n    def __bool__(self):\n        return self.n > 0\n"
        "    def __iter__(self):\n        return iter(self.d)\n    def __call__(self):\n        self.n -= 1\n"
        "    def __contains__(self, key):\n        return key in self.d\n    def __eq__(self, other):\n"
        "        return self.n == other\n    def __hash__(self):\n        return 5\n    def __enter__(self):\n"
        "        self.n += 1\n        return self.n\n    def __exit__(self, *ignored):\n        self.n -= 1\n"
        "    def __getitem__(self, key):\n        return self.d[key]\n    def __setitem__(self, key, value):\n"
        "        self.d[key] = value\n    def __getattr__(self, name):\n        if name == 'extra':\n"
        "            return len(self.d)\n        raise AttributeError(name)\n"
        "    def __iadd__(self, k):\n        self.n += k\n"
        "        return self\n    def __index__(self):\n        return self.n\n    def __lt__(self, other):\n"
        "        return self.n < other.n\nthing = Thing()\nother = Thing()",
        (
            "len(thing)",
            "bool(thing)",
            "thing()",
            "1 in thing",
            "thing == 1",
            "thing[1] = 2",
            "thing.extra",
            "thing += 1",
        )
        + ("with thing as got:\n    seen.append(got)", "if thing:\n    thing()", "list(thing)", "[0, 1, 2, 3][thing]")
        + ("sorted([thing, other])[0] is thing", "{thing: 1}.get(other)", "range(thing)", "thing in [1, 2]", "other()")
        + ("any([thing, other])", "max(thing, other) is thing", "bytes(thing)"),
        "(thing.n, thing.d)",
    ),
    Kit(
        "abstract mapping",
        "class Thing(collections.abc.MutableMapping):\n    def __init__(self):\n"
        "        self.d = {'a': 1}\n    def __getitem__(self, k):\n        return self.d[k]\n"
        "    def __setitem__(self, k, v):\n"
        "        self.d[k] = v\n    def __delitem__(self, k):\n        del self.d[k]\n    def __iter__(self):\n"
        "        return iter(self.d)\n    def __len__(self):\n        return len(self.d)\nthing = Thing()",
        ("thing.pop('a', None)", "thing.setdefault('b', 2)", "thing.update(c=3)", "'a' in thing", "thing.get('a')")
        + ("list(thing.items())", "thing.popitem()", "dict(thing)", "thing == {'a': 1}"),
        "dict(thing)",
        ("thing",),
    ),
    Kit(
        "properties",
        "class Thing:\n    def __init__(self):\n        self._n = 1\n    @property\n    def n(self):\n"
        "        return self._n\n    @n.setter\n    def n(self, value):\n        self._n = value\nthing = Thing()",
        ("thing.n += 1", "thing.n", "setattr(thing, 'n', 9)", "operator.attrgetter('n')(thing)", "thing._n -= 1"),
        "thing.n",
    ),
    Kit(
        "subclasses of containers",
        "class Names(list):\n    def add(self, x):\n        if x not in self:\n"
        "            self.append(x)\nclass Table(dict):\n"
        "    def __missing__(self, key):\n        self[key] = len(self)\n"
        "        return self[key]\nnames = Names()\ntable = Table()",
        (
            "names.add(1)",
            "table['a']",
            "table['b']",
            "len(names)",
            "names + [2]",
            "sorted(table.values())",
            "names.clear()",
        ),
        "(names, sorted(table.items()))",
        ("names", "table"),
        ("names",),
    ),
)

_WEAK = (
    Kit(
        "weak reference",
        "class Thing:\n    n = 1\nbox = [Thing()]\nthing = weakref.ref(box[0])",
        ("box.pop() and None", "thing() is None", "if thing():\n    seen.append(thing().n)", "box.append(Thing())"),
        "(len(box), thing() is None)",
    ),
    Kit(
        "weak values",
        "class Thing:\n    n = 1\nbox = {'a': Thing()}\nthing = weakref.WeakValueDictionary(box)",
        ("box.pop('a', None) and None", "'a' in thing", "len(thing)", "thing.get('a') is None", "thing['a'].n"),
        "sorted(thing)",
    ),
    Kit(
        "weak keys",
        "class Thing:\n    pass\nbox = [Thing()]\nthing = weakref.WeakKeyDictionary({box[0]: 1})",
        ("box.clear()", "len(thing)", "list(thing.values())", "for each in list(thing):\n    thing[each] += 1"),
        "list(thing.values())",
    ),
    Kit(
        "weak set",
        "class Thing:\n    pass\nbox = [Thing()]\nthing = weakref.WeakSet(box)",
        ("box.clear()", "len(thing)", "bool(thing)", "thing.add(box[0])"),
        "len(thing)",
    ),
    Kit(
        "finaliser",
        "class Thing:\n    pass\ndone = []\nbox = [Thing()]\nend = weakref.finalize(box[0], done.append, 1)",
        ("box.clear()", "len(done)", "end.alive", "end()", "end.detach() and None"),
        "done",
    ),
    Kit(
        "weak callback",
        "class Thing:\n    pass\ndone = []\nbox = [Thing()]\nthing = weakref.ref(box[0], done.append)",
        ("box.clear()", "len(done)", "thing() is None"),
        "len(done)",
    ),
    Kit(
        "finalised by a method",
        "done = []\nclass Thing:\n    def __del__(self):\n        done.append(1)\nbox = [Thing()]",
        ("box.clear()", "len(done)", "done.append(2)"),
        "done",
    ),
)

_FOREIGN = (
    Kit(
        "foreign class",
        "thing = foreign_things.Box(2)",
        (
            "thing.add(1)",
            "len(thing)",
            "if thing:\n    seen.append(thing.take())",
            "thing[0]",
            "thing[0] = 5",
            "thing()",
        )
        + ("1 in thing", "list(thing)", "thing.size", "with thing as got:\n    seen.append(got)", "thing.take()"),
        "thing.items",
    ),
    Kit(
        "foreign functions",
        "foreign_things.reset()",
        ("foreign_things.bump()", "foreign_things.count", "foreign_things.count += 1", "foreign_things.store('a', 1)")
        + ("foreign_things.look('a')",),
        "foreign_things.bump()",
    ),
    Kit(
        "foreign callbacks",
        "data = []\nfor each in (1, 2):\n    data.append(each)",
        ("foreign_things.apply(data.append, 3)", "foreign_things.apply(lambda: len(data))", "data.pop()", "len(data)")
        + ("foreign_things.total(data)",),
        "data",
    ),
    Kit(
        "class of a foreign base",
        "class Mine(foreign_things.Box):\n    def twice(self):\n        self.add(1)\n"
        "        return len(self)\nthing = Mine(1)",
        ("thing.twice()", "thing.add(4)", "thing.take()", "bool(thing)", "thing.n = 3", "hasattr(thing, 'n')"),
        "thing.items",
    ),
)

#: The module outside of the project that some kits use.
FOREIGN_MODULE: Final = """\
count = 0
table = {}

class Box:
    def __init__(self, first):
        self.items = [first]
    def add(self, item):
        self.items.append(item)
    def take(self):
        return self.items.pop()
    @property
    def size(self):
        return len(self.items)
    def __len__(self):
        return len(self.items)
    def __bool__(self):
        return bool(self.items)
    def __iter__(self):
        return iter(list(self.items))
    def __contains__(self, item):
        return item in self.items
    def __getitem__(self, index):
        return self.items[index]
    def __setitem__(self, index, item):
        self.items[index] = item
    def __call__(self):
        self.items.append(len(self.items))
    def __enter__(self):
        self.items.append(0)
        return len(self.items)
    def __exit__(self, *ignored):
        self.items.pop()

def reset():
    global count
    count = 0
    table.clear()

def bump():
    global count
    count += 1
    return count

def store(key, value):
    if key in table:
        raise KeyError(key)
    table[key] = value

def look(key):
    return table.get(key)

def apply(function, *arguments):
    return function(*arguments)

def total(items):
    done = 0
    for each in items:
        done += each
    return done
"""

KITS: Final = (
    *_IO,
    *_ITERATORS,
    *_GENERATORS,
    *_CODECS,
    *_NUMBERS,
    *_BUFFERS,
    *_NUMPY,
    *_CONTAINERS,
    *_VALUES,
    *_FUNCTIONS,
    *_CLASSES,
    *_WEAK,
    *_FOREIGN,
)
