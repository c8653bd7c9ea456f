"""Kits of iterators and generators, some of them half used, that threads share with the object that they go over.

make bench ARGS="serial-orders --only 'iteration over' --programs 200 --jobs 2"
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit

_SHARED: Final = """def placed(*given): return given
def first(iterator):
    for each in iterator:
        return each
"""

_READS: Final = """next(it, None)
next(it)
list(it)
tuple(it)
[*it]
[x for x in it]
it.__next__()
it.__length_hint__()
operator.length_hint(it)
sum(1 for _ in it)
any(it)
sorted(it, key=str)
','.join(map(str, it))
5 in it
list(zip(it, 'ab'))
list(itertools.islice(it, 1))
copy.copy(it)
pickle.dumps(it)
dict.fromkeys(it)
collections.deque(it, 1)
functools.reduce(lambda a, b: b, it, 0)
for x in it: seen.append(x)
next(iter(it), 0)
list(filter(None, it))
placed(*it)
first(it)"""

#: Changes of the list that an iterator goes over, and uses of the iterator.
_OF_LISTS: Final = """data.append(9)
data.pop()
data.clear()
data.insert(0, 8)
data[1] = 7
del data[0]
data.reverse()
data.sort(reverse=True)
data += [6]
data[:] = [4]
next(it, None)
list(it)
it.__next__()
data.extend([5])
operator.setitem(data, 1, 5)
it.__setstate__(0)"""


def _kit(name: str, setup: str, stores: str = _OF_LISTS, reads: str = _READS, final: str = "repr(data)") -> Kit:
    shared = _SHARED if reads is _READS else ""
    return Kit(
        f"iteration over {name}",
        f"{shared}{setup}",
        tuple(reads.splitlines()),
        final,
        stores=tuple(stores.splitlines()),
    )


ITERATOR_KITS: Final = (
    _kit(
        "a list",
        """data=[1,2,3]
it=iter(data)
next(it)
""",
    ),
    _kit(
        "a list, backwards",
        """data=[1,2,3]
it=reversed(data)
next(it)
""",
    ),
    _kit(
        "enumerate",
        """data=[1,2,3]
it=enumerate(data)
""",
    ),
    _kit(
        "zip",
        """data=[1,2,3]
more=(4,5,6)
it=zip(data,more)
""",
    ),
    _kit(
        "map",
        """data=[1,2,3]
it=map(str,data)
""",
    ),
    _kit(
        "filter",
        """data=[0,1,2,3]
it=filter(None,data)
""",
    ),
    _kit(
        "chain",
        """data=[1,2,3]
it=itertools.chain([0],data)
""",
    ),
    _kit(
        "chain.from_iterable",
        """data=[1,2,3]
it=itertools.chain.from_iterable(d for d in (data,data))
""",
    ),
    _kit(
        "islice",
        """data=[1,2,3,4]
it=itertools.islice(data,1,None)
""",
    ),
    _kit(
        "tee",
        """data=[1,2,3,4]
it,ot=itertools.tee(data)
next(it)
""",
        _OF_LISTS
        + """
next(ot)
list(ot)
copy.copy(it).__next__()""",
    ),
    _kit(
        "accumulate",
        """data=[1,2,3]
it=itertools.accumulate(data)
""",
    ),
    _kit(
        "takewhile",
        """data=[1,2,3]
it=itertools.takewhile((9).__gt__,data)
""",
    ),
    _kit(
        "pairwise",
        """data=[1,2,3]
it=itertools.pairwise(data)
""",
    ),
    _kit(
        "starmap",
        """data=[(1,2),(3,4)]
it=itertools.starmap(pow,data)
""",
        """data.append((2,5))
data.pop()
data[0]=(5,1)
data.clear()
next(it)
data.insert(0,(2,2))
list(it)""",
    ),
    _kit(
        "iter of a function",
        """data=[1,2,3]
it=iter(data.pop,1)
""",
    ),
    _kit(
        "a generator",
        """data=[1,2,3]
def g():
    for x in data:
        yield x
it=g()
""",
        _OF_LISTS
        + """
it.close()
it.send(None)""",
    ),
    _kit(
        "a delegating generator",
        """data=[1,2,3]
def g():
    yield 0
    r = yield from data
    yield r
it=g()
next(it)
""",
        _OF_LISTS
        + """
it.close()
it.send(None)""",
    ),
    _kit(
        "a generator that is sent values",
        """data=[]
def g():
    try:
        while True:
            x = yield len(data)
            data.append(x)
            if len(data)>5: return
    except ValueError:
        yield 'v'
    finally:
        data.append('f')
it=g()
next(it)
""",
        """it.send(4)
it.close()
it.throw(ValueError)
data.append(9)
next(it)
it.throw(KeyError())""",
        reads="""next(it, None)
next(it)
list(it)
tuple(it)
[*it]
[x for x in it]
it.__next__()
it.__length_hint__()
operator.length_hint(it)
sum(1 for _ in it)
any(it)
sorted(it, key=str)
','.join(map(str, it))
5 in it
list(zip(it, 'ab'))
list(itertools.islice(it, 1))
copy.copy(it)
pickle.dumps(it)
first(it)
collections.deque(it, 1)
functools.reduce(lambda a, b: b, it, 0)
for x in it: seen.append(x)
next(iter(it), 0)
list(filter(None, it))
it.send(1)
len(data)
data[-1:]""",
    ),
    _kit(
        "a generator expression",
        """data=[1,2,3]
it=(x*2 for x in data if x)
""",
        _OF_LISTS
        + """
it.close()""",
    ),
    _kit(
        "values of a dict",
        """data={'a':1,'b':2,'c':3}
it=iter(data.values())
next(it)
""",
        """data['z'] = 9
data.pop('a')
data.clear()
data['a'] = 7
del data['b']
data.update(a=5)
data.setdefault('q', 1)
data.popitem()
data |= {'b': 6}
next(it, None)
list(it)
it.__next__()""",
    ),
    _kit(
        "items of a dict",
        """data={'a':1,'b':2,'c':3}
it=iter(data.items())
""",
        """data['z'] = 9
data.pop('a')
data.clear()
data['a'] = 7
del data['b']
data.update(a=5)
data.setdefault('q', 1)
data.popitem()
data |= {'b': 6}
next(it, None)
list(it)
it.__next__()""",
    ),
    _kit(
        "an OrderedDict",
        """data=collections.OrderedDict(a=1,b=2,c=3)
it=iter(data.items())
""",
        """data['z'] = 9
data.pop('a')
data.clear()
data['a'] = 7
del data['b']
data.update(a=5)
data.setdefault('q', 1)
data.popitem()
data |= {'b': 6}
next(it, None)
list(it)
it.__next__()
data.move_to_end('a')""",
    ),
    _kit(
        "items of a ChainMap",
        """base={'a':1}
data=collections.ChainMap({},base)
it=iter(data.items())
""",
        """base['z']=4
base.clear()
data['q']=5
next(it)
base['a']=8
data.maps.append({'y':1})""",
    ),
    _kit(
        "values of a UserDict",
        """data=collections.UserDict(a=1,b=2)
it=iter(data.values())
""",
        """data['z'] = 9
data.pop('a')
data.clear()
data['a'] = 7
del data['b']
data.update(a=5)
data.setdefault('q', 1)
data.popitem()
data |= {'b': 6}
next(it, None)
list(it)
it.__next__()
data.data['a']=8
data.data={}""",
    ),
    _kit(
        "a proxy",
        """base={'a':1,'b':2}
data=types.MappingProxyType(base)
it=iter(data.items())
""",
        """base['z']=4
base.clear()
base['a']=8
next(it)""",
    ),
    _kit(
        "a set",
        """data={1,2,3}
it=iter(data)
""",
        """data.add(9)
data.discard(1)
data.clear()
data.pop()
data |= {7}
data &= {1}
next(it)
list(it)
data.update([8])
data.remove(2)""",
    ),
    _kit(
        "a deque",
        """data=collections.deque([1,2,3])
it=iter(data)
next(it)
""",
        """data.append(9)
data.popleft()
data.clear()
data.appendleft(8)
data[1]=7
data.rotate(1)
data.remove(2)
next(it)
list(it)
data.extend([5])
data.reverse()
del data[0]""",
    ),
    _kit(
        "a bytearray",
        """data=bytearray(b'abc')
it=iter(data)
next(it)
""",
        """data.append(9)
data.pop()
data.clear()
data[1]=7
data.insert(0,8)
data.reverse()
next(it)
list(it)
data.extend(b'x')
del data[0]
data[:]=b'zz'""",
    ),
    _kit(
        "an array",
        """data=array.array('i',[1,2,3])
it=iter(data)
next(it)
""",
        """data.append(9)
data.pop()
data[1]=7
data.insert(0,8)
data.reverse()
next(it)
list(it)
del data[0]
data.extend([4])""",
    ),
    _kit(
        "a view of bytes",
        """data=bytearray(b'abc')
mv=memoryview(data)
it=iter(mv)
next(it)
""",
        """data[1]=7
mv[2]=8
mv.release()
next(it)
list(it)""",
        final="bytes(data)",
    ),
    _kit(
        "an iterator of its own",
        """data=[1,2,3]
class It:
    def __init__(s): s.i=0
    def __iter__(s): return s
    def __next__(s):
        if s.i>=len(data): raise StopIteration
        s.i+=1
        return data[s.i-1]
    def __length_hint__(s): return len(data)-s.i
it=It()
""",
        _OF_LISTS
        + """
it.i=2
it.i+=1""",
    ),
    _kit(
        "a class with __getitem__",
        """class Seq:
    def __init__(s): s.d=[1,2,3]
    def __getitem__(s,i): return s.d[i]
    def __len__(s): return len(s.d)
seq=Seq()
data=seq.d
it=iter(seq)
next(it)
""",
        _OF_LISTS
        + """
seq.d=[7,8]
Seq.__len__=lambda s: 9""",
    ),
    _kit(
        "a class with __getitem__, backwards",
        """class Seq:
    def __init__(s): s.d=[1,2,3]
    def __getitem__(s,i): return s.d[i]
    def __len__(s): return len(s.d)
seq=Seq()
data=seq.d
it=reversed(seq)
""",
        _OF_LISTS
        + """
seq.d=[7,8]""",
    ),
    _kit(
        "a class whose __iter__ generates",
        """data=[1,2,3]
class Own:
    def __iter__(s):
        for x in data: yield x
it=iter(Own())
""",
    ),
    _kit(
        "csv.reader",
        """data=['a,b','c,d','e,f']
it=csv.reader(data)
next(it)
""",
        """data.append('x,y')
data.pop()
data[1]='p,q'
data.clear()
next(it)
list(it)""",
        reads="""next(it, None)
next(it)
list(it)
tuple(it)
[*it]
[x for x in it]
it.__next__()
it.__length_hint__()
operator.length_hint(it)
sum(1 for _ in it)
any(it)
sorted(it, key=str)
','.join(map(str, it))
5 in it
list(zip(it, 'ab'))
list(itertools.islice(it, 1))
copy.copy(it)
pickle.dumps(it)
first(it)
collections.deque(it, 1)
functools.reduce(lambda a, b: b, it, 0)
for x in it: seen.append(x)
next(iter(it), 0)
list(filter(None, it))
it.line_num
it.dialect.delimiter""",
    ),
    _kit(
        "csv.DictReader",
        """data=['a,b','c,d','e,f']
it=csv.DictReader(data)
""",
        """data.append('x,y')
data.pop()
data[1]='p,q'
data.clear()
next(it)
it.fieldnames
it.fieldnames=['q','r']
it.restkey='z'""",
        reads="""next(it, None)
next(it)
list(it)
tuple(it)
[*it]
[x for x in it]
it.__next__()
it.__length_hint__()
operator.length_hint(it)
sum(1 for _ in it)
any(it)
sorted(it, key=str)
','.join(map(str, it))
5 in it
list(zip(it, 'ab'))
list(itertools.islice(it, 1))
copy.copy(it)
pickle.dumps(it)
first(it)
collections.deque(it, 1)
functools.reduce(lambda a, b: b, it, 0)
for x in it: seen.append(x)
next(iter(it), 0)
list(filter(None, it))
it.line_num
it.fieldnames""",
    ),
    _kit(
        "StringIO",
        """data=io.StringIO('a\\nb\\nc\\n')
it=iter(data)
""",
        """data.readline()
data.write('zz')
data.seek(0)
data.truncate(2)
next(it)
data.read(1)
data.close()
list(it)""",
        final="data.closed or data.getvalue()",
    ),
    _kit(
        "a file",
        """open('ff','w').write('a\\nb\\nc\\n')
data=open('ff')
it=iter(data)
""",
        """data.readline()
data.seek(0)
next(it)
data.read(1)
data.close()
list(it)""",
        final="data.closed",
    ),
    _kit(
        "scandir",
        """os.makedirs('dd',exist_ok=True)
open('dd/a','w').close(); open('dd/b','w').close()
it=os.scandir('dd')
data=[]
""",
        """it.close()
next(it)
list(it)""",
        reads="""sorted(e.name for e in it)
sum(1 for e in it)
next(it,0)==0
sorted(map(operator.attrgetter('name'),it))
bool([*it])""",
    ),
    _kit(
        "matches in a bytearray",
        """text=bytearray(b'a1b2c3')
data=[1]
""",
        """text[1]=120
text[:]=b'zzzzzz'
text.reverse()
text[1:3]=b'qq'""",
        reads="""re.findall(rb'.',text)
re.sub(rb'[0-9]',b'-',text)
re.split(rb'b',text)
re.match(rb'a',text) is None
re.compile(rb'z').search(text) is None""",
        final="bytes(text)",
    ),
    _kit(
        "re.Scanner",
        """data=[]
sc=re.Scanner([(r'[0-9]+',lambda s,t: data.append(t) or len(data)),(r'.',None)])
""",
        """data.append('q')
data.clear()
sc.scan('7')
sc.lexicon.clear()""",
        reads="""sc.scan('1 2')
len(data)
data[-1:]""",
    ),
    _kit(
        "an incremental decoder",
        """data=[]
it=codecs.getincrementaldecoder('utf-8')()
""",
        """it.decode(b'\\xc3')
it.reset()
it.decode(b'\\xa4')
it.setstate((b'\\xc3',0))
it.errors='ignore'""",
        reads="""it.decode(b'\\xa4', False)
it.getstate()
it.buffer
it.errors""",
    ),
    _kit(
        "iterencode",
        """data=[1,2]
enc=json.JSONEncoder()
it=enc.iterencode(data)
""",
        _OF_LISTS
        + """
enc.indent=2""",
        reads="""''.join(it)
json.dumps(data)
enc.encode(data)
''.join(json.JSONEncoder(indent=1).iterencode(data))""",
    ),
    _kit(
        "heapq.merge",
        """data=[1,4]
more=[2,3]
it=heapq.merge(data,more)
""",
        _OF_LISTS
        + """
more.append(7)
more.clear()""",
        final="(data,more)",
    ),
    _kit(
        "items of a mapping of its own",
        """class M(collections.abc.Mapping):
    def __init__(s): s.d={'a':1,'b':2}
    def __getitem__(s,k): return s.d[k]
    def __iter__(s): return iter(s.d)
    def __len__(s): return len(s.d)
m=M()
data=m.d
it=iter(m.items())
""",
        """data['z'] = 9
data.pop('a')
data.clear()
data['a'] = 7
del data['b']
data.update(a=5)
data.setdefault('q', 1)
data.popitem()
data |= {'b': 6}
next(it, None)
list(it)
it.__next__()
m.d={'x':4}""",
    ),
    _kit(
        "a sequence of its own",
        """class S(collections.abc.Sequence):
    def __init__(s): s.d=[1,2,3]
    def __getitem__(s,i): return s.d[i]
    def __len__(s): return len(s.d)
q=S()
data=q.d
it=iter(q)
""",
        _OF_LISTS
        + """
q.d=[7]""",
    ),
    _kit(
        "iterators in iterators",
        """data=[1,2,3]
it=itertools.chain(map(str,filter(None,enumerate(data))),zip(data,reversed(data)))
""",
    ),
    _kit(
        "zip of one iterator",
        """data=[1,2,3,4]
base=iter(data)
it=zip(base,base)
""",
        _OF_LISTS
        + """
next(base)
list(base)""",
    ),
    _kit(
        "tee of an iterator",
        """data=[1,2,3,4]
base=iter(data)
it,other=itertools.tee(base)
""",
        _OF_LISTS
        + """
next(base)
next(other)""",
    ),
    _kit(
        "a context manager that generates",
        """data=[]
@contextlib.contextmanager
def cm():
    data.append('in')
    yield len(data)
    data.append('out')
c=cm()
""",
        """c.__enter__()
c.__exit__(None,None,None)
data.append(3)
data.clear()""",
        reads="""c.__enter__()
c.__exit__(None,None,None)
len(data)
c.gen.gi_frame is None""",
    ),
)
