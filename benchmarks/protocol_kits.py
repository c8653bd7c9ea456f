"""Kits of objects that take part in the protocols of the language: operators, descriptors, keys, data classes, abstract
classes, context managers, finalisers, attributes that are computed.

    make bench ARGS="serial-orders --only 'protocol of' --programs 200 --jobs 2"
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit

#: Modules that their programs import, beside those of the other kits.
PROTOCOL_MODULES: Final = ("argparse", "calendar", "email.message", "html.parser", "pprint", "reprlib", "shlex")


def _kit(name: str, setup: str, reads: str, stores: str, final: str) -> Kit:
    return Kit(f"protocol of {name}", setup, tuple(reads.splitlines()), final, stores=tuple(stores.splitlines()))


_VALUE: Final = """class V:
    def __init__(self, n): self.n = n
    def __add__(self, o): return self.n + getattr(o,'n',o)
    def __radd__(self, o): return o + self.n
    def __sub__(self, o): return self.n - getattr(o,'n',o)
    def __rsub__(self, o): return o - self.n
    def __mul__(self, o): return self.n * 2
    __rmul__ = __mul__
    def __matmul__(self, o): return self.n * 3
    def __rmatmul__(self, o): return self.n * 4
    def __truediv__(self, o): return self.n / 2
    def __floordiv__(self, o): return self.n // 2
    def __mod__(self, o): return self.n % 7
    def __divmod__(self, o): return (self.n, 1)
    def __rdivmod__(self, o): return (self.n, 2)
    def __pow__(self, o, m=None): return self.n ** 2
    def __rpow__(self, o): return self.n ** 3
    def __lshift__(self, o): return self.n << 1
    def __and__(self, o): return self.n & 3
    def __rand__(self, o): return self.n & 5
    def __or__(self, o): return self.n | 8
    def __ror__(self, o): return self.n | 16
    def __xor__(self, o): return self.n ^ 1
    def __neg__(self): return -self.n
    def __pos__(self): return +self.n
    def __abs__(self): return abs(self.n)
    def __invert__(self): return ~self.n
    def __int__(self): return self.n
    def __float__(self): return float(self.n)
    def __complex__(self): return complex(self.n)
    def __index__(self): return self.n
    def __bool__(self): return self.n > 3
    def __len__(self): return self.n
    def __hash__(self): return hash(self.n)
    def __eq__(self, o): return self.n == getattr(o,'n',o)
    def __lt__(self, o): return self.n < getattr(o,'n',o)
    def __gt__(self, o): return self.n > getattr(o,'n',o)
    def __le__(self, o): return self.n <= getattr(o,'n',o)
    def __ge__(self, o): return self.n >= getattr(o,'n',o)
    def __round__(self, k=0): return self.n
    def __trunc__(self): return self.n
    def __floor__(self): return self.n
    def __ceil__(self): return self.n
    def __repr__(self): return f'V{self.n}'
    def __str__(self): return f'v{self.n}'
    def __format__(self, s): return f'f{self.n}'
    def __bytes__(self): return bytes([self.n])
    def __contains__(self, o): return o == self.n
    def __getitem__(self, i):
        if i > 3: raise IndexError
        return self.n + i
    def __iter__(self): return iter([self.n])
    def __reversed__(self): return iter([-self.n])
    def __call__(self, *a, **k): return self.n
    def __enter__(self): return self.n
    def __exit__(self, *a): return self.n > 3
    def __length_hint__(self): return self.n
    def __getnewargs__(self): return (self.n,)
    def __copy__(self): return self.n
    def __deepcopy__(self, memo): return self.n
    def __reduce__(self): return (int, (self.n,))
    def __fspath__(self): return f'p{self.n}'
    def __dir__(self): return [str(self.n)]
    def __sizeof__(self): return self.n
    def __iadd__(self, o):
        self.n += o
        return self
    def __isub__(self, o):
        self.n -= o
        return self
    def __setitem__(self, k, v): self.n = v
    def __delitem__(self, k): self.n = 0
v = V(2)
w = V(2)
def with_(x):
    with x as y: return y
def swallow(x):
    with x: raise KeyError
    return 'swallowed'
def match_(x):
    match x:
        case 5: return 'five'
        case V(n=2): return 'two'
        case V(n=k): return k
def caught(x):
    return [*x]
"""

PROTOCOL_KITS: Final = (
    _kit(
        "operators",
        _VALUE,
        """v + 1
1 + v
v - 1
1 - v
v * 1
1 * v
v @ 1
1 @ v
v / 1
v // 1
v % 1
divmod(v, 1)
divmod(1, v)
v ** 2
2 ** v
pow(v, 2, 5)
v << 1
v & 1
1 & v
v | 1
1 | v
v ^ 1
-v
+v
abs(v)
~v
int(v)
float(v)
complex(v)
operator.index(v)
[10, 11, 12, 13, 14, 15, 16, 17, 18][v]
'abcdefghijk'[v]
'abcdefghijk'[:v]
range(v)
list(range(v))
bytes(v)
hex(v)
chr(v)
math.sqrt(v)
math.factorial(v)
bool(v)
not v
v and 1
'x' if v else 'y'
len(v)
hash(v)
v == 5
5 == v
v != 5
v < 5
v > 3
v <= 5
v >= 5
v == w
v in [5]
v in {5: 1}
v in (5, 7)
[5].index(v) if v == 5 else 0
[5, 2].count(v)
{2: 'a', 5: 'b'}.get(v)
{2: 'a', 5: 'b'}[v]
sorted([v, V(3)])
max(v, V(3))
min([v, V(3)])
[V(3), v][0] < v
round(v)
math.trunc(v)
math.floor(v)
math.ceil(v)
repr(v)
str(v)
f"{v}"
f"{v!r}"
f"{v:>5}"
'%s' % v
'%d' % v
'%r' % (v,)
'{}'.format(v)
'{!r}'.format(v)
format(v, '')
print(v, file=io.StringIO())
bytes(v)
5 in v
v[1]
list(v)
[*v]
list(reversed(v))
v(1)
with_(v)
swallow(v)
operator.length_hint(v)
copy.copy(v)
copy.deepcopy(v)
copy.deepcopy([v])
pickle.loads(pickle.dumps(v))
os.fspath(v)
dir(v)
match_(v)
caught(v)
sum([v, 1])
sum(v)
sum([1], v)
[v] == [5]
(v,) == (5,)
{'k': v} == {'k': 5}
[v, 1] < [V(3), 1]
operator.add(v, 1)
operator.matmul(v, 1)
operator.eq(v, 5)
operator.truth(v)
operator.not_(v)
operator.contains(v, 5)
operator.getitem(v, 0)
any([v])
all([v])
list(filter(None, [v]))
list(map(int, [v]))
list(map(bool, [v]))
list(map(str, [v]))
','.join(map(str, [v, v]))
json.dumps([v], default=str)
json.dumps({'k': v}, default=int)
functools.reduce(operator.add, [v, 1])
collections.Counter([v])[5]
itertools.accumulate([v, 1]).__next__() is v and v.n
next(iter(v))
slice(v).indices(9)
random.Random(1).sample(range(9), v)
itertools.islice('abcdefgh', v).__next__() and list(itertools.islice('abcdefgh', v))
'a' * v
[0] * v
int('11', v)
math.fsum([v])
statistics.mean([1, v.n])
v.__add__(1)
V.__add__(v, 1)
heapq.nsmallest(1, [v, V(3)])
bisect.bisect([1, 3, 4], v)
isinstance(v, collections.abc.Hashable) and hash(v)
frozenset([v])
{v}
{v: 1}.get(5)
tuple(v)
(lambda a: a)(*v)
list(zip(v, 'a'))""",
        """v.n = 5
v.n += 3
v += 3
v -= 1
v[0] = 5
del v[0]
setattr(v, 'n', 5)
operator.iadd(v, 3)
operator.setitem(v, 0, 5)
vars(v)['n'] = 5
v.__iadd__(3)
list(map(v.__setitem__, [0], [5]))
v.__dict__.update(n=5)""",
        "v.n",
    ),
    _kit(
        "descriptors",
        """class Data:
    def __init__(self): self.v = {}; self.k = 1
    def __set_name__(self, o, n): self.name = n
    def __get__(self, i, o=None): return self if i is None else (self.v.get(id(i), 0), self.k)
    def __set__(self, i, v): self.v[id(i)] = v
    def __delete__(self, i): self.v.pop(id(i), None)
class Non:
    k = 1
    def __get__(self, i, o=None): return self.k
class Own:
    d = Data()
    nd = Non()
    __slots__ = ('s', '__dict__', '__weakref__')
    def __init__(self): self.s = 1; self._p = 1
    @property
    def p(self): return self._p
    @p.setter
    def p(self, v): self._p = v
    @p.deleter
    def p(self): self._p = 0
    @functools.cached_property
    def c(self): return self._p * 10
    @classmethod
    def cm(cls): return cls.nd
    @staticmethod
    def sm(): return Own.nd
    @functools.lru_cache
    def lc(self): return self._p
    pm = functools.partialmethod(lambda self, x: (x, self._p), 3)
    def __getattr__(self, n):
        if n.startswith('dyn'): return self._p
        raise AttributeError(n)
o = Own()
""",
        """o.d
o.nd
o.s
o.p
o.c
o.cm()
o.sm()
o.lc()
o.pm()
o.dynamic
getattr(o, 'p')
getattr(o, 'missing', 'none')
hasattr(o, 'c') and o.c
hasattr(o, 's')
operator.attrgetter('p')(o)
operator.attrgetter('d')(o)
vars(o).get('c')
f"{o.p}"
'{0.p}'.format(o)
'{o.d}'.format(o=o)
list(map(operator.attrgetter('p'), [o]))
[x.p for x in [o]]
Own.p.fget(o)
Own.d.__get__(o)
type(o).__dict__['p'].__get__(o)
Own.__dict__['s'].__get__(o)
object.__getattribute__(o, 'p')
copy.copy(o).s
copy.copy(o).p
copy.deepcopy(o)._p
inspect.getattr_static(o, 's').__get__(o)
inspect.getmembers(Own.d, lambda x: isinstance(x, int))
'c' in vars(o)
sorted(vars(o))
o.__getattribute__('s')
(lambda p: p)(o.p)
max([o], key=operator.attrgetter('p')).p
sorted([o], key=lambda x: x.p)[0].p
functools.partial(getattr, o)('p')
o.p == 5""",
        """o.d = 5
o.p = 5
o.s = 5
o._p = 5
o.c = 5
del o.c
del o.d
del o.p
del o.s
Own.d.k = 5
Non.k = 5
Own.nd = 5
Own.d.v.clear()
Own.d.v[id(o)] = 7
o.nd = 5
setattr(o, 'p', 5)
setattr(o, 's', 5)
delattr(o, 's')
o.__dict__['c'] = 5
o.__dict__['_p'] = 5
o.lc.cache_clear()
Own.lc.cache_clear()
Own.p = property(lambda s: 77)
Own.p.fset(o, 5)
Own.d.__set__(o, 5)
Own.__dict__['s'].__set__(o, 5)
object.__setattr__(o, 's', 5)
o.__setattr__('p', 5)
o.missing = 1
o.c
Own.__getattr__ = lambda s, n: 77
Own.sm = staticmethod(lambda: 77)
Own.cm = classmethod(lambda c: 77)
Own.dynamic = 4""",
        "(o._p, getattr(o,'s',None))",
    ),
    _kit(
        "a key that changes",
        """class K:
    def __init__(self, n): self.n = n
    def __hash__(self): return hash(self.n)
    def __eq__(self, o): return self.n == getattr(o,'n',o)
    def __repr__(self): return f'K{self.n}'
    def __lt__(self, o): return self.n < o.n
k = K(1)
d = {k: 'a', 2: 'b'}
s = {k, 2}
""",
        """k in d
d.get(k)
d.get(K(1))
1 in d
5 in d
k in s
s | {1}
s == {1, 2}
d == {1: 'a', 2: 'b'}
list(d)
d.setdefault(k, 'z')
[k].index(1)
k in [1]
dict(d).get(k)
{**d}.get(1)
set(s) & {1}
frozenset(s) == frozenset({1, 2})
d.keys() & {1}
list(map(d.get, [k]))
copy.copy(d).get(k)
max(s, key=repr)
d[k]
sorted(map(repr, s))""",
        """k.n = 5
k.n += 1
d[k] = 'c'
d.pop(k)
s.discard(k)
s.add(K(1))
d[K(1)] = 'q'
vars(k)['n'] = 5
d.clear()
s.remove(2)
d.update({K(5): 'r'})""",
        "(d, len(s))",
    ),
    _kit(
        "data classes",
        """@dataclasses.dataclass(order=True)
class P:
    x: int = 1
    y: list = dataclasses.field(default_factory=list, compare=False)
@dataclasses.dataclass(slots=True)
class S:
    x: int = 1
@dataclasses.dataclass(frozen=True)
class F:
    x: int = 1
    l: list = dataclasses.field(default_factory=list)
@dataclasses.dataclass(kw_only=True)
class W:
    x: int = 1
    z: int = 2
@dataclasses.dataclass(unsafe_hash=True)
class H:
    x: int = 1
p = P()
q = P(2)
s = S()
f = F()
w = W()
h = H()
def m(t):
    match t:
        case P(5, y): return y
        case P(x=x): return x
        case S(x): return x
        case W(x=x, z=z): return (x, z)
        case F(x, l): return (x, list(l))
""",
        """p == q
p < q
p <= P(1)
p == P(1)
repr(p)
sorted([q, p])
max(p, P(1, [3]))
dataclasses.asdict(p)
dataclasses.astuple(p)
dataclasses.replace(p, x=9).y
m(p)
s == S()
repr(s)
dataclasses.asdict(s)
m(s)
copy.copy(s)
copy.deepcopy(p)
hash(f) if not f.l else 0
f == F()
repr(f)
dataclasses.asdict(f)
m(f)
repr(w)
w == W()
m(w)
dataclasses.replace(w).z
hash(h) == hash(H())
h in {H(): 1}
h == H()
{h}
f"{p}"
str(s)
[p] == [P()]
p in [P()]
[P()].count(p)
dataclasses.fields(p)[0].name
p.x
vars(p)
json.dumps(dataclasses.asdict(p))
'{0.x}'.format(p)
min([p, q])
dataclasses.is_dataclass(p) and p.x
inspect.signature(P)
p.__eq__(P())
P.__lt__(p, q)
bool(p.y)
[*map(dataclasses.asdict, [p, s])]""",
        """p.x = 5
p.y.append(1)
p.y = [4]
s.x = 5
f.l.append(3)
object.__setattr__(f, 'x', 5)
w.z = 5
h.x = 5
p.__init__(7)
setattr(p, 'x', 4)
del p.x
del s.x
vars(p)['x'] = 6
q.x = 0
p.x += 9
P.x = 3
dataclasses.replace(p).y.append(8)
p.__dict__.update(x=8)
object.__setattr__(s, 'x', 7)
f.l.clear()""",
        "(p.__dict__, f.l)",
    ),
    _kit(
        "named tuples and flags",
        """class N(typing.NamedTuple):
    x: int = 1
    l: list = []
Q = collections.namedtuple('Q', 'a b')
class Fl(enum.Flag):
    A = 1
    B = 2
class E(enum.Enum):
    A = [1]
    def see(self): return self.extra
E.A.extra = 1
class I(enum.IntFlag):
    A = 1
    B = 4
n = N(1, [1])
q = Q({'k': 1}, {1})
box = [Fl.A, I.A]
def m(t):
    match t:
        case N(x, [1]): return 'one'
        case N(x, l): return list(l)
        case Q(a={'k': v}): return v
        case Fl.A: return 'A'
        case Fl(): return 'other'
""",
        """n == N(1, [1])
repr(n)
m(n)
m(q)
n._asdict()
n._replace(x=3).l
copy.deepcopy(n)
n < N(1, [1, 2])
hash(str(n))
list(n)
x, l = n; seen.append(l)
q == Q({'k': 1}, {1})
repr(q)
q._asdict()
json.dumps(n)
pickle.dumps(n)
str(n)
f"{n.l}"
'%s %s' % n
[*n]
sum(n.l)
E.A.value
E.A.see()
E.A.extra
E([1]) is E.A
repr(E.A)
E.A.value == [1]
box[0] | Fl.B
box[0] & Fl.A
Fl.A in box[0]
bool(box[0])
repr(box[0])
m(box[0])
~box[0]
box[1] | 2
box[1] == 1
int(box[1])
Fl(3)
list(Fl)
operator.itemgetter('l')(n._asdict())
max(n.l, q.a.values().__iter__().__next__() and [0])
(n, 1) == (N(1, [1]), 1)
n.count([1])
n.index([1])
[1] in n
n + (2,)
n * 2
len(n.l)""",
        """n.l.append(2)
n.l[0] = 5
q.a['k'] = 5
q.b.add(5)
E.A.extra = 5
E.A.value.append(2)
box[0] |= Fl.B
box[0] ^= Fl.A
box[0] = Fl.B
box[1] |= I.B
box[0] &= Fl.B
n.l.clear()
N.x = 7
q.a.clear()
n.l[:] = [3, 4]""",
        "(n, q, box)",
    ),
    _kit(
        "functools",
        """state = {'n': 1}
calls = []
@functools.lru_cache
def cached(x): calls.append(x); return state['n'] * x
@functools.cache
def cached2(x=1, *, k=2): return state['n'] + x + k
part = functools.partial(lambda a, b, *c, **k: (a, b, c, k, state['n']), 1, k=[1])
part2 = functools.partial(dict, a=1)
@functools.singledispatch
def sd(x): return ('o', state['n'])
@sd.register
def _(x: int): return ('i', state['n'])
class C:
    def __init__(self): self.n = 1
    @functools.singledispatchmethod
    def m(self, x): return ('o', self.n)
    @m.register
    def _(self, x: str): return ('s', self.n)
    @functools.cached_property
    def cp(self): calls.append('cp'); return self.n
    @functools.lru_cache
    def lm(self, x): return self.n * x
    pm = functools.partialmethod(m, 'q')
@functools.total_ordering
class T:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
c = C()
t = T(1)
u = T(2)
key = functools.cmp_to_key(lambda a, b: (a > b) - (a < b) if state['n'] == 1 else (b > a) - (b < a))
""",
        """cached(3)
cached.cache_info()
cached2()
cached2(1, k=5)
part(2)
part.args
part.keywords
part2(b=state['n'])
repr(part2)
sd(1)
sd('x')
sd.dispatch(int)(1)
c.m(1)
c.m('x')
c.cp
c.lm(2)
C.lm.cache_info()
t <= u
t >= u
t < u
t > T(1)
max(t, u).n
sorted([1, 3, 2], key=key)
sorted([u, t])[0].n
len(calls)
list(map(cached, [3]))
list(map(part, [2]))
functools.reduce(lambda a, b: a + b * state['n'], [1, 2])
sorted([3, 1], key=cached)
list(map(sd, [1, 'x']))
max([3, 1], key=functools.partial(operator.mul, state['n']))
c.pm()
copy.copy(part).keywords
pickle.dumps(part2)
functools.partial(part, 3)()
list(filter(functools.partial(operator.eq, 3), [state['n'] + 2]))
operator.methodcaller('lm', 2)(c)
'cp' in vars(c)
cached.__wrapped__(3)
inspect.signature(part2) and part2.keywords""",
        """state['n'] = 5
cached(3)
cached.cache_clear()
cached2()
part.keywords['k'].append(2)
part.keywords['z'] = 3
part2.keywords['a'] = 7
c.n = 5
c.cp
del c.cp
c.cp = 9
c.lm(2)
C.lm.cache_clear()
t.n = 5
u.n = 0
calls.append(1)
state.update(n=3)
sd.register(str, lambda x: 'str')
sd.register(bool)(lambda x: 'b')
c.lm.cache_clear()
part.__setstate__((print, (), {}, None))
state['n'] += 1
calls.clear()""",
        "(state, calls, c.n)",
    ),
    _kit(
        "abstract classes",
        """@typing.runtime_checkable
class HasX(typing.Protocol):
    x: int
@typing.runtime_checkable
class Close(typing.Protocol):
    def close(self): ...
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class O:
    pass
class Sub(O): pass
class Hook(abc.ABC):
    on = False
    @classmethod
    def __subclasshook__(cls, c): return cls.on or NotImplemented
class Meta(type):
    flag = False
    def __instancecheck__(cls, o): return cls.flag
    def __subclasscheck__(cls, o): return cls.flag
class MC(metaclass=Meta): pass
made = []
class Base:
    def __init_subclass__(cls, **k): made.append(cls.__name__); cls.num = len(made)
    def __class_getitem__(cls, k): return (k, len(made))
o = O()
def m(t):
    match t:
        case HasX(): return 'x'
        case A(): return 'a'
        case MC(): return 'mc'
        case collections.abc.Sized(): return 'sized'
        case _: return 'no'
""",
        """isinstance(o, HasX)
isinstance(o, Close)
isinstance(o, A)
issubclass(O, A)
issubclass(Sub, A)
isinstance(o, Hook)
issubclass(int, Hook)
isinstance(o, MC)
issubclass(int, MC)
isinstance(o, (A, MC))
isinstance(o, A | int)
m(o)
Base[3]
type('New', (Base,), {}).num
len(made)
made[-1:]
isinstance(o, collections.abc.Sized)
isinstance(o, collections.abc.Callable)
isinstance(o, collections.abc.Hashable)
isinstance(o, O)
[isinstance(x, A) for x in [o]]
list(filter(lambda x: isinstance(x, A), [o]))
hasattr(o, 'x')
callable(o)
list(map(A.__instancecheck__, [o]))
A.__subclasscheck__(O)
O.__subclasses__()
A.__abstractmethods__
inspect.isabstract(A)""",
        """o.x = 1
O.x = 1
o.close = lambda: 0
O.close = lambda s: 0
A.register(O)
A.register(Sub)
A.register(int)
Hook.on = True
Meta.flag = True
MC.flag = True
type('Other', (Base,), {})
made.append('q')
made.clear()
collections.abc.Sized.register(O)
o.__class__ = Sub
O.__len__ = lambda s: 1
O.__call__ = lambda s: 1
O.__hash__ = None
del o.x
class Late(Base): pass
A.__abstractmethods__ = frozenset()""",
        "made",
    ),
    _kit(
        "contexts and ends",
        """log = []
class Cm:
    depth = 0
    def __enter__(self): self.depth += 1; log.append('in'); return self.depth
    def __exit__(self, t, v, tb): self.depth -= 1; log.append('out'); return self.depth > 0
cm = Cm()
@contextlib.contextmanager
def gen():
    log.append('gin')
    try: yield len(log)
    finally: log.append('gout')
st = contextlib.ExitStack()
class Del:
    def __del__(self): log.append('del')
held = [Del()]
class Node: pass
node = [Node()]
fin = weakref.finalize(node[0], log.append, 'fin')
ref = weakref.ref(node[0], lambda r: log.append('dead'))
rd = contextlib.redirect_stdout(io.StringIO())
sup = contextlib.suppress(KeyError)
def use(c):
    with c as x: return x
def use2(c, d):
    with c as x, d as y: return (x, y)
def sw():
    with cm: raise KeyError
    return 'sw'
""",
        """use(cm)
use2(cm, gen())
sw()
use(gen())
len(log)
log[-1:]
cm.depth
ref() is None
fin.alive
fin.peek() is None
fin.detach() is None
fin()
use(contextlib.closing(io.StringIO())).closed
use(contextlib.nullcontext(log))
st.enter_context(cm)
use(contextlib.ExitStack()) is None
repr(log)
contextlib.ContextDecorator
weakref.getweakrefcount(node[0])
bool(held)
sum(1 for x in log)
gen()(lambda: len(log))()""",
        """held.clear()
held.pop()
held[0] = None
node.clear()
node[0] = None
del node[0]
fin()
fin.detach()
log.append('x')
log.clear()
cm.depth = 3
cm.__enter__()
cm.__exit__(None, None, None)
st.push(lambda *a: log.append('st'))
st.callback(log.append, 'cb')
st.close()
st.enter_context(cm)
use(cm)
use(gen())
Cm.depth = 7""",
        "(log, cm.depth)",
    ),
    _kit(
        "attributes passed on",
        """class G:
    def __init__(self): object.__setattr__(self, 'store', {'a': 1})
    def __getattribute__(self, n):
        if n.startswith('__') or n == 'store': return object.__getattribute__(self, n)
        return object.__getattribute__(self, 'store').get(n, 'none')
    def __setattr__(self, n, v): self.store[n] = v
    def __delattr__(self, n): del self.store[n]
    def __dir__(self): return sorted(self.store)
class P:
    def __init__(self, t): self.t = t
    def __getattr__(self, n): return getattr(self.t, n)
class Lst:
    def __init__(self): self.inner = [1, 2]
    def __getattr__(self, n): return getattr(self.inner, n)
g = G()
p = P(g)
l = Lst()
px = P(l)
mp = weakref.proxy(l)
""",
        """g.a
g.b
getattr(g, 'a')
hasattr(g, 'z')
p.a
dir(g)
operator.attrgetter('a')(g)
f"{g.a}"
'{0.a}'.format(g)
vars(g)
copy.copy(g).a
inspect.getattr_static(g, 'a', 0)
l.index(2)
l.copy()
l.__len__()
px.count(9)
list(l.inner)
mp.inner
mp.copy()
len(mp.inner)
[x.a for x in [g]]
list(map(operator.attrgetter('a'), [g]))
l.inner == [1, 2]
operator.methodcaller('copy')(l)
list(map(operator.methodcaller('copy'), [l]))
l.__contains__(9)
l.__getitem__(0)
getattr(l, 'index')(2)
sorted([2, 1], key=l.count)
list(map(l.count, [9]))""",
        """g.a = 5
del g.a
g.b = 4
setattr(g, 'a', 5)
g.store['a'] = 5
g.store.clear()
p.t = G()
l.append(9)
l.clear()
l.inner = [9]
px.append(9)
px.insert(0, 9)
mp.append(9)
l.__setitem__(0, 9)
operator.methodcaller('append', 9)(l)
list(map(l.append, [9]))
l.extend(x for x in [9])
l.sort(reverse=True)
delattr(g, 'a')
getattr(l, 'pop')()
px.t = Lst()
P.__getattr__ = lambda s, n: 77
functools.partial(l.append, 9)()""",
        "(g.store, l.inner)",
    ),
    _kit(
        "methods that are hidden",
        """class Form(string.Formatter): pass
f = Form()
t = string.Template('$a')
cp = configparser.ConfigParser()
cp.read_string('[s]\\nx=1')
ap = argparse.ArgumentParser(prog='p'); ap.add_argument('--x', default='1')
tw = textwrap.TextWrapper(width=9)
enc = json.JSONEncoder()
dec = json.JSONDecoder()
hp = html.parser.HTMLParser()
got = []
r = reprlib.Repr()
pp = pprint.PrettyPrinter(width=20)
cal = calendar.TextCalendar()
lex = shlex.shlex('a b')
msg = email.message.Message()
msg['A'] = 'b'
ev = threading.Event()
qq = queue.Queue()
qq.put(1)
""",
        """f.format('{0}', 1)
t.substitute(a=1)
cp.get('s', 'x')
cp.getint('s', 'x')
ap.parse_args([]).x
ap.format_usage()
tw.wrap('aaa bbb ccc ddd')
tw.fill('aaa bbb ccc')
enc.encode([1])
enc.encode(object)
dec.decode('{"a": 1}')
hp.feed('<a>')
len(got)
r.repr(list(range(20)))
pp.pformat([1] * 20)
cal.formatweek([(1, 1)], 3)
lex.get_token()
msg.as_string()
msg['A']""",
        """f.convert_field = lambda v, c: 'q'
f.format_field = lambda v, s: 'q'
t.template = '$b'
t.substitute = lambda **k: 'q'
Form.get_value = lambda s, k, a, kw: 'q'
cp.optionxform = str.upper
cp.set('s', 'x', '7')
ap.prog = 'zz'
ap.set_defaults(x='9')
ap.add_argument('--y')
ap.format_usage = lambda: 'q'
tw.width = 4
tw.wrap = lambda x: ['q']
enc.default = lambda o: 'q'
enc.indent = 2
dec.object_hook = lambda d: 'q'
dec.parse_int = str
hp.handle_starttag = lambda t, a: got.append(t)
r.maxlist = 2
r.repr_int = lambda x, l: 'q'
pp._width = 5
cal.firstweekday = 3
cal.setfirstweekday(4)
lex.whitespace = 'a'
lex.push_token('zz')
msg['B'] = 'c'
msg.as_string = lambda: 'q'
msg.replace_header('A', 'z')
pp.format = lambda *a: ('q', True, False)""",
        "len(got)",
    ),
    _kit(
        "modules",
        """m = types.ModuleType('mzk'); m.x = 1
def __getattr__(n): return m.x
m.__getattr__ = lambda n: len(store)
store = [1]
class Mod(types.ModuleType):
    @property
    def p(self): return len(store)
    def __getattr__(self, n): return store[0]
mm = Mod('mmm')
""",
        """m.x
m.missing
getattr(m, 'late', 0)
mm.p
mm.other
hasattr(mm, 'q')
vars(m)['x']
m.__dict__.get('x')
dir(m)[-1]
operator.attrgetter('x')(m)
f"{m.x}"
'{0.x}'.format(m)""",
        """m.x = 5
store.append(2)
store[0] = 7
m.late = 4
mm.other = 3
mm.p2 = 1
del m.x
m.__getattr__ = lambda n: 77
setattr(m, 'x', 5)
vars(m)['x'] = 5
m.__dict__.update(x=9)""",
        "store",
    ),
)
