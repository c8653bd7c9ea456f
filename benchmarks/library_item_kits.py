"""Kits of containers of the library, whose items are read and stored in all ways: weak collections, trees of XML,
configurations, messages, cookies, shelves, and containers within containers.

    make bench ARGS="serial-orders --only 'content of' --programs 200 --jobs 2"
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit


def _kit(name: str, setup: str, reads: str, stores: str, final: str) -> Kit:
    return Kit(f"content of {name}", setup, tuple(reads.splitlines()), final, stores=tuple(stores.splitlines()))


LIBRARY_ITEM_KITS: Final = (
    _kit(
        "a weak set",
        """@functools.total_ordering
class Node:
    def __init__(self, n): self.n = n
    def __repr__(self): return f'N{self.n}'
    def __lt__(self, o): return self.n < o.n
    def __eq__(self, o): return isinstance(o, Node) and self.n == o.n
    def __hash__(self): return hash(self.n)
n1=Node(1)
n2=Node(2)
n9=Node(9)
s=weakref.WeakSet([n1,n2])
""",
        """n1 in s
n9 in s
len(s)
bool(s)
sorted(s)
list(s)
{*s}
min(s)
s == {n1, n2}
s <= {n1, n2}
s.isdisjoint({n9})
sorted(s | {n9})
sorted(s & {n1})
sorted(s - {n1})
sorted(s ^ {n1})
sorted(s.copy())
copy.copy(s) == {n1, n2}
sorted(map(repr, s))
sorted(s.union([n9]))
operator.contains(s, n9)
next(iter(s), None)
s.__contains__(n9)
s.issubset({n1, n2})""",
        """s.add(n9)
s.discard(n1)
s.remove(n1)
s.pop()
s.clear()
s.update([n9])
s |= {n9}
s &= {n1}
s -= {n1}
s ^= {n1}
s.difference_update([n1])
list(map(s.add, [n9]))
sorted([n1], key=s.remove)""",
        "len(s)",
    ),
    _kit(
        "weak values",
        """@functools.total_ordering
class Node:
    def __init__(self, n): self.n = n
    def __repr__(self): return f'N{self.n}'
    def __lt__(self, o): return self.n < o.n
    def __eq__(self, o): return isinstance(o, Node) and self.n == o.n
    def __hash__(self): return hash(self.n)
n1=Node(1)
n2=Node(2)
n9=Node(9)
d=weakref.WeakValueDictionary(a=n1,b=n2)
""",
        """d['a']
d.get('z')
'a' in d
'z' in d
len(d)
bool(d)
sorted(d)
sorted(d.items())
sorted(d.values())
list(d.valuerefs()).__len__()
list(d.itervaluerefs()).__len__()
dict(d)
{**d}
copy.copy(d).get('a')
copy.deepcopy(d).get('a')
d == {'a': n1, 'b': n2}
sorted(d | {'q': n9})
list(map(d.get, 'az'))
[*d]
d.copy().get('z')
operator.getitem(d, 'a')
d.setdefault('z', n2)""",
        """d['a'] = n9
d['z'] = n9
del d['a']
d.pop('a')
d.popitem()
d.clear()
d.update(z=n9)
d |= {'z': n9}
d.setdefault('z', n9)
operator.setitem(d, 'a', n9)
sorted('a', key=d.pop)""",
        "len(d)",
    ),
    _kit(
        "weak keys",
        """@functools.total_ordering
class Node:
    def __init__(self, n): self.n = n
    def __repr__(self): return f'N{self.n}'
    def __lt__(self, o): return self.n < o.n
    def __eq__(self, o): return isinstance(o, Node) and self.n == o.n
    def __hash__(self): return hash(self.n)
n1=Node(1)
n2=Node(2)
n9=Node(9)
d=weakref.WeakKeyDictionary({n1:1,n2:2})
""",
        """d[n1]
d.get(n9)
n1 in d
n9 in d
len(d)
bool(d)
sorted(d)
sorted(d.items())
sorted(d.values())
len(d.keyrefs())
dict(d)
copy.copy(d).get(n1)
d == {n1: 1, n2: 2}
sorted(d | {n9: 1})
[*d]
operator.getitem(d, n1)
d.setdefault(n9, 3)""",
        """d[n1] = 9
d[n9] = 9
del d[n1]
d.pop(n1)
d.popitem()
d.clear()
d.update({n9: 1})
d |= {n9: 1}
d.setdefault(n9, 7)
operator.setitem(d, n1, 7)
d[n1] += 1""",
        "len(d)",
    ),
    _kit(
        "an element of XML",
        """e = xml.etree.ElementTree.fromstring('<r x="1"><a>t</a><b/></r>')
""",
        """e[0].tag
len(e)
e.get('x')
e.attrib
e.attrib['x']
e.items()
e.keys()
list(e)
[c.tag for c in e]
e.find('a') is None
e.find('z') is None
e.findtext('a')
[x.tag for x in e.findall('*')]
[x.tag for x in e.iter()]
list(e.itertext())
xml.etree.ElementTree.tostring(e)
copy.copy(e).get('x')
copy.deepcopy(e)[0].tag
e[-1].tag
[c.tag for c in e[:1]]
e.text
e.tail
e.tag
[c.tag for c in reversed(e)]
e.find('.//a[1]') is None
list(map(xml.etree.ElementTree.tostring, e))
xml.etree.ElementTree.tostring(pickle.loads(pickle.dumps(e)))
xml.etree.ElementTree.ElementTree(e).find('a') is None
xml.etree.ElementTree.ElementTree(e).getroot().tag
sorted(c.tag for c in e)
xml.etree.ElementTree.canonicalize(xml.etree.ElementTree.tostring(e))
f"{e[0].text}"
e[0].text""",
        """e.set('x', '5')
e.attrib['x'] = '5'
e.attrib.clear()
e.append(xml.etree.ElementTree.Element('z'))
xml.etree.ElementTree.SubElement(e, 'z')
e.insert(0, xml.etree.ElementTree.Element('z'))
e.remove(e[0])
e[0] = xml.etree.ElementTree.Element('z')
del e[0]
del e[:]
e.clear()
e.extend([xml.etree.ElementTree.Element('z')])
e.text = 'new'
e.tag = 'new'
e.tail = 'new'
e[0].text = 'new'
e[0].tag = 'z'
e.find('a').set('k', 'v')
setattr(e, 'text', 'q')
xml.etree.ElementTree.indent(e)
e.attrib = {'x': '7'}
e[:] = [xml.etree.ElementTree.Element('q')]
e.attrib.update(x='6')
e.attrib |= {'q': '1'}""",
        "xml.etree.ElementTree.tostring(e)",
    ),
    _kit(
        "a configuration",
        """c = configparser.ConfigParser()
c.read_string('[s]\\nx=1\\n[t]\\ny=%(z)s\\nz=2\\n')
sec = c['s']
def text():
    o = io.StringIO(); c.write(o); return o.getvalue()
""",
        """c['s']['x']
sec['x']
sec.get('x')
sec.getint('x')
c.get('s', 'x')
c.getint('s', 'x', fallback=0)
c.sections()
c.options('s')
c.items('s')
c.has_section('q')
c.has_option('s', 'q')
's' in c
'x' in sec
list(c)
list(sec)
len(c)
len(sec)
dict(sec)
dict(c['t'])
c['t']['y']
text()
c.defaults()
sec == {'x': '1'}
sorted(sec.items())
{k: dict(v) for k, v in c.items()}
copy.deepcopy(c).get('s', 'x')
sec.getboolean('x')
[*c]""",
        """c['s']['x'] = '0'
sec['x'] = '0'
c.set('s', 'x', '0')
c['q'] = {'a': '1'}
c.add_section('q')
c.remove_section('s')
c.remove_option('s', 'x')
c.read_string('[s]\\nx=5')
c.read_dict({'s': {'x': '6'}})
del c['s']
del sec['x']
c.clear()
sec.clear()
sec.update(x='5')
c['DEFAULT']['x'] = '9'
c.set('t', 'z', '7')
c.pop('s')
sec.pop('x')
c.optionxform = str.upper
c.setdefault('q', {})""",
        "text()",
    ),
    _kit(
        "a message",
        """m = email.message.EmailMessage()
m['To'] = 'a'
m.set_content('body')
""",
        """m['To']
m.get('to')
'to' in m
'cc' in m
len(m)
m.keys()
m.values()
m.items()
m.as_string()
bytes(m)
str(m)
m.get_all('to')
m.get_content()
m.get_payload()
m.get_content_type()
m.is_multipart()
[p.get_content_type() for p in m.walk()]
list(m)
copy.copy(m)['To']
copy.deepcopy(m)['To']
m.get_param('charset')
m.preamble
m.get_content_charset()
m.get_filename()
[*m.iter_attachments()] if m.is_multipart() else 0""",
        """m['Cc'] = 'x'
m.replace_header('To', 'b')
del m['To']
m.add_header('X', 'y')
m.set_content('other')
m.set_payload('pp')
m.set_param('charset', 'latin-1')
m.clear()
m.clear_content()
m.preamble = 'pre'
m.set_type('text/html')
m.set_raw('Q', 'r')
m.policy = email.policy.SMTP
m.del_param('charset')""",
        "m.as_string()",
    ),
    _kit(
        "cookies",
        """c = http.cookies.SimpleCookie()
c['a'] = '1'
mo = c['a']
""",
        """c['a'].value
c.output()
str(c)
c['a'].OutputString()
mo['path']
'z' in c
len(c)
mo.value
mo.coded_value
mo.key
list(c)
c.js_output()
mo == c['a']
copy.copy(mo).value
mo.get('path')
repr(mo)
dict(mo)
sorted(mo.items())
c.items() and [*c]
copy.deepcopy(c)['a'].value
mo.isReservedKey('path') and mo['path']""",
        """c['a'] = '2'
c['z'] = '2'
del c['a']
c.load('a=5')
c.load('q=5; r=6')
mo['path'] = '/x'
mo.set('a', '7', '7')
mo.update({'path': '/y'})
c.clear()
c.pop('a')
mo.clear()
mo.setdefault('path', 'z')
c.update(a='9')
mo['httponly'] = True""",
        "str(c)",
    ),
    _kit(
        "a shelf",
        """base = {}
d = shelve.Shelf(base)
d['a'] = [1]
w = shelve.Shelf(base, writeback=True)
""",
        """d['a']
d.get('z')
'z' in d
len(d)
list(d)
dict(d)
w['a']
base.keys()
sorted(d.items())
len(base[b'a'])
w.get('a')
d == {'a': [1]}
bool(d)
[*w]
w['a'].append(4)""",
        """d['a'] = [5]
d['z'] = 6
del d['a']
d.pop('a')
d.update(a=7)
d.clear()
w['a'].append(2)
w['a'] = 8
w.sync()
base.clear()
d.setdefault('z', 1)
w['a'].append(2) or w.sync()
w.cache.clear()""",
        "dict(d)",
    ),
    _kit(
        "containers in containers",
        """class Box: pass
b = Box()
b.v = [1]
d = {'l': [1, 2], 'd': {'x': 1}, 's': {1}, 't': ([7],), 'b': b}
""",
        """copy.deepcopy(d['l'])
d == {'l': [1, 2], 'd': {'x': 1}, 's': {1}, 't': ([7],), 'b': b}
repr((d['l'], d['d'], d['s'], d['t']))
json.dumps([d['l'], d['d'], d['t']])
pickle.dumps(d['t'])
str(d['t'])
d['t'] == ([7],)
'{0[d][x]}'.format(d)
'{0[l][0]}'.format(d)
'{b.v}'.format_map(d)
'{b.v[0]}'.format(**d)
f"{d['d']['x']}"
operator.itemgetter('l')(d)[0]
max(d['l'], d['t'][0])
sorted([d['l'], d['t'][0]])
[1, 2] in [d['l']]
d['l'] in ([1, 2], 0)
(d['l'], 0) < ([1, 3], 0)
hash(str(d['d']))
pprint.pformat(d['d'])
reprlib.repr(d['l'])
copy.deepcopy(d['b']).v
copy.copy(d['b']).v
copy.deepcopy(d)['d']['x']
copy.copy(d)['l']
sum(d['t'], [])
sum([d['l'], [3]], [])
[*map(len, d['t'])]
[x for y in d['t'] for x in y]
min(d['t'])
dict([d['l']])
[d['l']].index([1, 2])
[[1, 2]].count(d['l'])
(d['l'],).__eq__(([1, 2],))
list(zip(*[d['l']]))
''.join(str(x) for x in d['l'])
operator.eq(d['l'], [1, 2])
any(d['t'])
all([d['s']])
set(map(tuple, d['t']))
{k: len(v) for k, v in d.items() if k != 'b'}
d['d'].items() == {('x', 1)}""",
        """d['l'].append(3)
d['l'][0] = 9
d['d']['x'] = 5
d['d'].clear()
d['s'].add(5)
d['s'].clear()
d['t'][0].append(8)
d['t'][0].clear()
d['l'] += [4]
d['l'] = [9]
b.v = [2]
b.v.append(4)
d['b'].v[0] = 7
d['t'][0][0] = 0
operator.iadd(d['l'], [6])
d['l'].sort(reverse=True)
d['d'].update(x=4)
d['d'] |= {'q': 1}""",
        "(d['l'],d['d'],d['s'],d['t'],b.v)",
    ),
)
