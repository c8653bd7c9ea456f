"""Kits of containers whose items are read and stored in all ways: builtins, classes derived from them, with methods of
their own or without, and containers of the library.

    make bench ARGS="serial-orders --only 'items of' --programs 200 --jobs 2"

Which locations an operation touches depends on the class of the container, on the function in C that goes through it,
and on the methods that the class defines past which that function goes, or not. One operation is one line.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.kits import Kit

#: Modules that their programs import, beside those of the other kits.
ITEM_MODULES: Final = ("collections.abc", "configparser", "email.message", "http.cookies", "xml.etree.ElementTree")

# -- mappings ----------------------------------------------------------------------------------------------------------

_MAPPING: Final = """class Plain(dict):
    pass
class Getting(dict):
    def __getitem__(self, key): return dict.__getitem__(self, key)
class Missing(dict):
    def __missing__(self, key): return 'missing'
class Storing(dict):
    def __setitem__(self, key, value): super().__setitem__(key, value)
class Own(collections.abc.MutableMapping):
    def __init__(self, **given): self.inner = dict(given)
    def __getitem__(self, key): return self.inner[key]
    def __setitem__(self, key, value): self.inner[key] = value
    def __delitem__(self, key): del self.inner[key]
    def __iter__(self): return iter(self.inner)
    def __len__(self): return len(self.inner)
class Word(str):
    pass
def named(**given): return sorted(given)
def placed(*given): return len(given)
def matched(thing):
    match thing:
        case {'a': 9}: return 'nine'
        case {'a': found, **rest}: return found, len(rest)
        case _: return 'other'
"""

_MAPPINGS: Final = {
    "a dict": "thing = {'a': 1, 'b': 2}",
    "a class of dict": "thing = Plain(a=1, b=2)",
    "a dict with __getitem__": "thing = Getting(a=1, b=2)",
    "a dict with __missing__": "thing = Missing(a=1, b=2)",
    "a dict with __setitem__": "thing = Storing(a=1, b=2)",
    "a dict of words": "thing = {Word('a'): 1, Word('b'): 2}",
    "an OrderedDict": "thing = collections.OrderedDict(a=1, b=2)",
    "a defaultdict": "thing = collections.defaultdict(int, a=1, b=2)",
    "a Counter": "thing = collections.Counter(a=1, b=2)",
    "a ChainMap": "base = {'b': 2}\nthing = collections.ChainMap({'a': 1}, base)",
    "a UserDict": "thing = collections.UserDict(a=1, b=2)",
    "a mapping of its own": "thing = Own(a=1, b=2)",
    "a proxy": "base = {'a': 1, 'b': 2}\nthing = types.MappingProxyType(base)",
}

_READS_OF_MAPPING: Final = """thing['a']
thing.get('z')
'z' in thing
len(thing)
bool(thing)
list(thing)
[*thing]
sorted(thing.values(), key=str)
thing == {'a': 1, 'b': 2}
copy.copy(thing)
copy.deepcopy(thing)
sum(thing.values())
list(zip(thing, thing.values()))
list(map(thing.get, 'az'))
matched(thing)
f"{thing['a']}"
repr(thing)
json.dumps(dict(thing))
pickle.loads(pickle.dumps(thing))
','.join(map(str, thing))
named(**thing)
placed(*thing)
{**thing}
operator.itemgetter('a', 'b')(thing)
operator.length_hint(thing)
'%(a)s' % thing
'{a}'.format_map(thing)
'{0[a]}'.format(thing)
string.Template('$a').safe_substitute(thing)
sorted(thing.keys() & {'a', 'z'})
sorted({'a', 'z'} - thing.keys())
('a', 1) in thing.items()
5 in thing.values()
thing.items() == {('a', 1), ('b', 2)}
list(reversed(thing))
thing | {'q': 1}
type(thing).__len__(thing)
next(iter(thing.items()), None)"""

_STORES_OF_MAPPING: Final = """thing['a'] = 5
thing['z'] = 5
thing['a'] += 5
del thing['a']
thing.update(a=5)
thing.update(zip('az', (5, 6)))
thing |= {'z': 5}
thing.setdefault('z', 5)
thing.pop('a')
thing.popitem()
thing.clear()
operator.setitem(thing, 'a', 5)
operator.ior(thing, {'a': 5})
thing.__init__({'z': 5})
list(map(thing.__setitem__, 'az', (5, 6)))
sorted(['a'], key=thing.pop)
for thing['a'] in (7,): pass"""

# -- sequences ---------------------------------------------------------------------------------------------------------

_SEQUENCE: Final = """class Plain(list):
    pass
class Getting(list):
    def __getitem__(self, index): return list.__getitem__(self, index)
class Iterating(list):
    def __iter__(self): return super().__iter__()
class Own(collections.abc.MutableSequence):
    def __init__(self, given): self.inner = list(given)
    def __getitem__(self, index): return self.inner[index]
    def __setitem__(self, index, value): self.inner[index] = value
    def __delitem__(self, index): del self.inner[index]
    def __len__(self): return len(self.inner)
    def insert(self, index, value): self.inner.insert(index, value)
class Numbers(array.array):
    pass
def placed(*given): return given
def matched(thing):
    match thing:
        case [3, *rest]: return rest
        case [first, *_]: return first
        case _: return 'other'
def unpacked(thing):
    first, *rest = thing
    return rest
"""

_SEQUENCES: Final = {
    "a list": "thing = [3, 1, 2]",
    "a class of list": "thing = Plain([3, 1, 2])",
    "a list with __getitem__": "thing = Getting([3, 1, 2])",
    "a list with __iter__": "thing = Iterating([3, 1, 2])",
    "a deque": "thing = collections.deque([3, 1, 2], 4)",
    "a UserList": "thing = collections.UserList([3, 1, 2])",
    "a sequence of its own": "thing = Own([3, 1, 2])",
    "a bytearray": "thing = bytearray([3, 1, 2])",
    "an array": "thing = array.array('i', [3, 1, 2])",
    "a class of array": "thing = Numbers('i', [3, 1, 2])",
    "a view of bytes": "thing = memoryview(bytearray([3, 1, 2]))",
}

_READS_OF_SEQUENCE: Final = """thing[0]
thing[-1]
thing[::-1]
len(thing)
bool(thing)
5 in thing
[*thing]
placed(*thing)
sorted(thing)
sum(thing)
max(thing, default=0)
list(zip(thing, 'ab'))
list(map(operator.sub, thing, thing))
list(enumerate(thing))
list(reversed(thing))
thing == [3, 1, 2]
thing.index(5)
copy.copy(thing)
copy.deepcopy(thing)
repr(thing)
f"{thing!r:>20}"
json.dumps(list(thing))
pickle.loads(pickle.dumps(thing))
','.join(map(str, thing))
matched(thing)
unpacked(thing)
thing + thing
2 * thing
operator.itemgetter(0, -1)(thing)
operator.countOf(thing, 5)
bytes(thing)
set(thing)
collections.Counter(thing)
array.array('b', thing)
heapq.nsmallest(1, thing)
bisect.bisect(thing, 2)
random.Random(1).choice(thing)
functools.reduce(operator.add, thing, 0)
list(itertools.accumulate(thing))
statistics.mean(thing)
struct.unpack('3B', thing)
io.BytesIO(thing).read()
zlib.crc32(thing)
slice(*thing)"""

_STORES_OF_SEQUENCE: Final = """thing[0] = 5
thing[0] += 2
thing[:1] = [5, 6]
thing[0], thing[1] = thing[1], thing[0]
del thing[1:]
thing.append(5)
thing.extend(each for each in (5, 6))
thing += [5]
thing *= 2
thing.insert(0, 5)
thing.pop()
thing.remove(3)
thing.clear()
thing.sort(key=str)
thing.reverse()
thing.rotate(1)
heapq.heapify(thing)
heapq.heappush(thing, 0)
bisect.insort(thing, 2)
random.Random(1).shuffle(thing)
operator.setitem(thing, 0, 5)
operator.iadd(thing, [5])
list(map(thing.append, (5, 6)))
struct.pack_into('B', thing, 0, 5)
io.BytesIO(b'xyz').readinto(thing)
memoryview(thing)[0] = 5
thing.byteswap()"""

# -- sets --------------------------------------------------------------------------------------------------------------

_SET: Final = """class Containing(set):
    def __contains__(self, each): return super().__contains__(each)
class Own(collections.abc.MutableSet):
    def __init__(self, given=()): self.inner = set(given)
    def __contains__(self, each): return each in self.inner
    def __iter__(self): return iter(self.inner)
    def __len__(self): return len(self.inner)
    def add(self, each): self.inner.add(each)
    def discard(self, each): self.inner.discard(each)
"""

_SETS: Final = {
    "a set": "thing = {1, 2}",
    "a set with __contains__": "thing = Containing({1, 2})",
    "a set of its own": "thing = Own({1, 2})",
}

_READS_OF_SET: Final = """9 in thing
len(thing)
sorted(thing)
{*thing}
sum(thing)
thing == {1, 2}
{1, 2} >= thing
thing <= {1, 2}
thing.isdisjoint({9})
{1, 2}.issubset(thing)
thing | {4}
{9, 1} - thing
frozenset({9}) & thing
{9}.union(thing)
copy.copy(thing)
repr(thing)
pickle.loads(pickle.dumps(thing))
list(filter(thing.__contains__, (1, 9)))
thing in [{1, 2}]
hash(frozenset(thing))"""

_STORES_OF_SET: Final = """thing.add(9)
thing.discard(1)
thing.remove(1)
thing.pop()
thing.clear()
thing.update([9])
thing |= {9}
thing &= {1}
thing ^= {1, 9}
thing.difference_update({1})
operator.isub(thing, {1})
list(map(thing.add, (9,)))
thing.update(each for each in (9,))"""


def _kits(shared: str, things: dict[str, str], reads: str, stores: str, final: str) -> list[Kit]:
    return [
        Kit(f"items of {name}", f"{shared}{made}", tuple(reads.splitlines()), final, stores=_stores(made, stores))
        for name, made in things.items()
    ]


def _stores(made: str, stores: str) -> tuple[str, ...]:
    """The stores in a thing, and in another one that it shows; through a proxy only in that one."""
    behind = re.sub(r"\bthing\b", "base", stores).splitlines() if "base = " in made else []
    return (*(() if "Proxy" in made else stores.splitlines()), *behind)


ITEM_KITS: Final = (
    *_kits(_MAPPING, _MAPPINGS, _READS_OF_MAPPING, _STORES_OF_MAPPING, "str(thing)"),
    *_kits(_SEQUENCE, _SEQUENCES, _READS_OF_SEQUENCE, _STORES_OF_SEQUENCE, "list(thing)"),
    *_kits(_SET, _SETS, _READS_OF_SET, _STORES_OF_SET, "sorted(thing)"),
)
