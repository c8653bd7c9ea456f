"""Ways to look at, or change, something shared without naming it: none goes unnoticed.

Each pair is an operation of one thread and one of another thread on the same object. The two must conflict in the log,
or the use be counted as untracked: otherwise a search would take one order for all.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest
from tests.unit.test_hooks_events import run

from mazurka.program.python.semantics import hooks
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import WRITES


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    hooks.install()
    yield
    hooks.uninstall()


#: setup, operation of one thread, operation of another one.
_PAIRS = {
    "lt_list": ("a=[1]; b=[2]", "got.append(a < b)", "a[0]=3"),
    "le_set": ("a={1}; b={1,2}", "got.append(a <= b)", "a.add(9)"),
    "gt_chain": ("a=[1]; b=[2]; c=[4]", "got.append(a < b < c)", "b[0]=9"),
    "eq_nested": ("a=[[1]]; b=[[1]]", "got.append(a == b)", "a[0].append(2)"),
    "lt_attr": ("class C: pass\nc=C(); c.l=[1]", "got.append(c.l < [2])", "c.l[0]=5"),
    "lt_local": ("a=[1]", "x=a\ngot.append(x >= [1])", "a[0]=0"),
    "globals_plain": ("x=1", "got.append(x)", "globals()['x']=2"),
    "weakset": ("import weakref\nclass C: pass\no=C(); w=weakref.WeakSet()", "got.append(o in w)", "w.add(o)"),
    "weakset_len": ("import weakref\nclass C: pass\no=C(); w=weakref.WeakSet()", "got.append(len(w))", "w.add(o)"),
    "weakset_iter": (
        "import weakref\nclass C: pass\no=C(); w=weakref.WeakSet()",
        "got.append([1 for e in w])",
        "w.add(o)",
    ),
    "weakkey": ("import weakref\nclass C: pass\no=C(); w=weakref.WeakKeyDictionary()", "got.append(o in w)", "w[o]=1"),
    "weakval": (
        "import weakref\nclass C: pass\no=C(); w=weakref.WeakValueDictionary()",
        "got.append(w.get(1) is None)",
        "w[1]=o",
    ),
    "getattr3": ("class C: pass\nc=C()", "got.append(getattr(c,'x',0))", "c.x=1"),
    "hasattr": ("class C: pass\nc=C()", "got.append(hasattr(c,'x'))", "setattr(c,'x',1)"),
    "getattr_dyn": ("class C: pass\nc=C(); c.x=0", "n='x'\ngot.append(getattr(c,n+''))", "object.__setattr__(c,'x',1)"),
    "delattr": ("class C: pass\nc=C(); c.x=0", "got.append(hasattr(c,'x'))", "delattr(c,'x')"),
    "obj_getattr": ("class C: pass\nc=C(); c.x=0", "got.append(object.__getattribute__(c,'x'))", "c.x=1"),
    "op_getitem": ("import operator\nd={1:1}", "got.append(operator.getitem(d,1))", "d[1]=2"),
    "op_setitem": ("import operator\nd={1:1}", "got.append(d[1])", "operator.setitem(d,1,2)"),
    "op_delitem": ("import operator\nd={1:1}", "got.append(1 in d)", "operator.delitem(d,1)"),
    "op_contains": ("import operator\nd={}", "got.append(operator.contains(d,1))", "d[1]=2"),
    "op_iadd": ("import operator\nl=[]", "got.append(len(l))", "operator.iadd(l,[1])"),
    "op_add": ("import operator\nl=[]", "got.append(operator.add(l,[1]))", "l.append(5)"),
    "op_eq": ("import operator\nl=[]", "got.append(operator.eq(l,[1]))", "l.append(1)"),
    "op_itemgetter": ("import operator\nl=[1]", "got.append(operator.itemgetter(0)(l))", "l[0]=2"),
    "op_attrgetter": (
        "import operator\nclass C: pass\nc=C(); c.x=0",
        "got.append(operator.attrgetter('x')(c))",
        "c.x=1",
    ),
    "op_methodcaller": ("import operator\nl=[]", "got.append(len(l))", "operator.methodcaller('append',1)(l)"),
    "op_len": ("import operator\nl=[]", "got.append(operator.length_hint(l))", "l.append(1)"),
    "from_op": ("from operator import itemgetter\nl=[1]\ng=itemgetter(0)", "got.append(g(l))", "l[0]=2"),
    "partial_append": ("from functools import partial\nl=[]\np=partial(l.append,1)", "got.append(len(l))", "p()"),
    "partial_list": ("from functools import partial\nl=[]\np=partial(list.append,l,1)", "got.append(len(l))", "p()"),
    "list_append": ("l=[]", "got.append(len(l))", "list.append(l,1)"),
    "dict_setitem": ("d={}", "got.append(len(d))", "dict.__setitem__(d,1,1)"),
    "dict_update_cls": ("d={}", "got.append(len(d))", "dict.update(d,{1:1})"),
    "copy_copy": ("import copy\nd={}", "got.append(copy.copy(d))", "d[1]=1"),
    "deepcopy": ("import copy\nd={1:[]}", "got.append(copy.deepcopy(d))", "d[1].append(1)"),
    "deepcopy_obj": ("import copy\nclass C: pass\nc=C(); c.x=0", "got.append(copy.deepcopy(c).x)", "c.x=1"),
    "copy_obj": ("import copy\nclass C: pass\nc=C(); c.x=0", "got.append(copy.copy(c).x)", "c.x=1"),
    "json": ("import json\nd={'a':1}", "got.append(json.dumps(d))", "d['a']=2"),
    "json_nested": ("import json\nd={'a':[1]}", "got.append(json.dumps(d))", "d['a'].append(2)"),
    "slice_assign": ("l=[1,2]", "got.append(list(l))", "l[0:1]=[5,6]"),
    "slice_del": ("l=[1,2]", "got.append(len(l))", "del l[0:1]"),
    "slice_read": ("l=[1,2]", "got.append(l[:1])", "l[0]=5"),
    "del_key": ("d={1:1}", "got.append(len(d))", "k=1\ndel d[k]"),
    "match_map": ("d={'a':1}", "match d:\n    case {'a': v}: got.append(v)", "d['a']=2"),
    "match_seq": ("d=[1]", "match d:\n    case [v]: got.append(v)\n    case _: got.append(0)", "d.append(2)"),
    "match_attr": (
        "class C:\n    __match_args__=('x',)\nc=C(); c.x=1",
        "match c:\n    case C(x=1): got.append(1)\n    case _: got.append(0)",
        "c.x=2",
    ),
    "match_nested": ("d=[[1]]", "match d:\n    case [[v]]: got.append(v)\n    case _: got.append(0)", "d[0].append(2)"),
    "match_tuple": (
        "d=[1]",
        "match (1, d):\n    case (1, [v]): got.append(v)\n    case _: got.append(0)",
        "d.append(2)",
    ),
    "star_call": ("def f(*a): return len(a)\nl=[1]", "got.append(f(*l))", "l.append(2)"),
    "star_kw": ("def f(**a): return len(a)\nl={'a':1}", "got.append(f(**l))", "l['b']=2"),
    "star_list": ("l=[1]", "got.append([*l])", "l.append(2)"),
    "unpack": ("l=[1,2]", "a,b=l\ngot.append(a)", "l[0]=2"),
    "fstr": ("l=[1]", "got.append(f'{l}')", "l.append(2)"),
    "fstr_nested": ("l=[[1]]", "got.append(f'{l}')", "l[0].append(2)"),
    "repr_nested": ("l=[[1]]", "got.append(repr(l))", "l[0].append(2)"),
    "pct": ("l=[1]", "got.append('%s' % l)", "l.append(2)"),
    "pct_tuple": ("l=[1]", "got.append('%s' % (l,))", "l.append(2)"),
    "str_format": ("l=[1]", "got.append('{}'.format(l))", "l.append(2)"),
    "str_join": ("l=['a']", "got.append(','.join(l))", "l.append('b')"),
    "sum_gen": ("l=[1]", "got.append(sum(x for x in l))", "l.append(3)"),
    "sorted_key": ("l=[1]", "got.append(sorted(l,key=lambda x:x))", "l.append(3)"),
    "reduce": ("from functools import reduce\nl=[1]", "got.append(reduce(lambda a,b:a+b,l))", "l.append(3)"),
    "math_sum": ("import math\nl=[1]", "got.append(math.fsum(l))", "l.append(3)"),
    "stat_mean": ("import statistics\nl=[1]", "got.append(statistics.mean(l))", "l.append(3)"),
    "random_choice": ("import random\nl=[1]", "got.append(random.choice(l))", "l[0]=2"),
    "map_consume": ("l=[1]", "got.append(list(map(str,l)))", "l.append(2)"),
    "zip_dict": ("l=[1]", "got.append(dict(zip(l,l)))", "l.append(2)"),
    "enumerate": ("l=[1]", "got.append(list(enumerate(l)))", "l.append(2)"),
    "any_map": ("l=[0]", "got.append(any(map(bool,l)))", "l.append(2)"),
    "itertools_chain": ("import itertools\nl=[0]", "got.append(list(itertools.chain(l,[5])))", "l.append(2)"),
    "chain_later": ("import itertools\nl=[0]\nc=itertools.chain(l)", "got.append(list(c))", "l.append(2)"),
    "islice_for": ("import itertools\nl=[0]", "for e in itertools.islice(l,5): got.append(e)", "l.append(2)"),
    "bisect": ("import bisect\nl=[0]", "got.append(bisect.bisect(l,5))", "l.append(2)"),
    "insort": ("import bisect\nl=[0]", "got.append(len(l))", "bisect.insort(l,2)"),
    "nlargest": ("import heapq\nl=[0]", "got.append(heapq.nlargest(1,l))", "l.append(2)"),
    "counter": ("from collections import Counter\nc=Counter()", "got.append(c['a'])", "c.update(['a'])"),
    "counter_add": ("from collections import Counter\nc=Counter()", "got.append(c+Counter(a=1))", "c['a']+=1"),
    "od_move": (
        "from collections import OrderedDict\nd=OrderedDict(a=1,b=2)",
        "got.append(list(d))",
        "d.move_to_end('a')",
    ),
    "chainmap": ("from collections import ChainMap\nd={'a':1}\nc=ChainMap(d)", "got.append(c['a'])", "d['a']=2"),
    "chainmap_w": ("from collections import ChainMap\nd={'a':1}\nc=ChainMap(d)", "got.append(d['a'])", "c['a']=2"),
    "userdict": ("from collections import UserDict\nd=UserDict(a=1)", "got.append(d['a'])", "d['a']=2"),
    "userlist": ("from collections import UserList\nd=UserList([1])", "got.append(len(d))", "d.append(2)"),
    "mappingproxy": (
        "from types import MappingProxyType\nd={'a':1}\np=MappingProxyType(d)",
        "got.append(p['a'])",
        "d['a']=2",
    ),
    "memoryview": ("d=bytearray(b'a')\np=memoryview(d)", "got.append(p[0])", "d[0]=2"),
    "memoryview_w": ("d=bytearray(b'a')\np=memoryview(d)", "got.append(d[0])", "p[0]=2"),
    "array": ("import array\nd=array.array('i',[1])", "got.append(d[0])", "d[0]=2"),
    "array_app": ("import array\nd=array.array('i',[1])", "got.append(len(d))", "d.append(2)"),
    "simplens": ("from types import SimpleNamespace\nd=SimpleNamespace(a=1)", "got.append(d.a)", "d.a=2"),
    "dataclass_eq": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int\nc=C(1)",
        "got.append(c == C(1))",
        "c.x=2",
    ),
    "dataclass_repr": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int\nc=C(1)",
        "got.append(repr(c))",
        "c.x=2",
    ),
    "dataclass_f": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int\nc=C(1)",
        "got.append(f'{c}')",
        "c.x=2",
    ),
    "asdict": (
        "from dataclasses import dataclass, asdict\n@dataclass\nclass C:\n    x: int\nc=C(1)",
        "got.append(asdict(c))",
        "c.x=2",
    ),
    "replace": (
        "from dataclasses import dataclass, replace\n@dataclass\nclass C:\n    x: int\nc=C(1)",
        "got.append(replace(c).x)",
        "c.x=2",
    ),
    "vars_obj": ("class C: pass\nc=C(); c.x=1", "got.append(vars(c)['x'])", "c.x=2"),
    "vars_update": ("class C: pass\nc=C(); c.x=1", "got.append(c.x)", "vars(c).update(x=2)"),
    "dict_update_w": ("class C: pass\nc=C(); c.x=1", "got.append(c.x)", "c.__dict__['x']=2"),
    "class_attr": ("class C: x=1", "got.append(C.x)", "C.x=2"),
    "type_setattr": ("class C: x=1", "got.append(C().x)", "type.__setattr__(C,'x',2)"),
    "in_keys": ("d={}", "got.append('a' in d.keys())", "d['a']=1"),
    "reversed": ("l=[1]", "got.append(list(reversed(l)))", "l.append(2)"),
    "iter_next": ("l=[1]", "it=iter(l)\nnext(it)\ngot.append(next(it,None))", "l.append(2)"),
    "bool_list": ("l=[]", "got.append(bool(l))", "l.append(2)"),
    "not_list": ("l=[]", "got.append(not l)", "l.append(2)"),
    "min2": ("l=[1]; m=[2]", "got.append(min(l,m))", "l[0]=5"),
    "set_op": ("a={1}", "got.append(a & {1,2})", "a.add(2)"),
    "set_ior": ("a={1}", "got.append(len(a))", "global a\na |= {2}"),
    "set_method": ("a={1}", "got.append(a.isdisjoint([2]))", "a.add(2)"),
    "frozenset": ("a={1}", "got.append(frozenset(a))", "a.add(2)"),
    "pickle": ("import pickle\na=[1]", "got.append(pickle.loads(pickle.dumps(a)))", "a.append(2)"),
    "deque_idx": ("from collections import deque\nd=deque([1])", "got.append(d[0])", "d.appendleft(2)"),
    "walrus": ("l=[1]", "(m:=l)\ngot.append(len(m))", "l.append(2)"),
    "exec": ("x=1", "got.append(x)", "exec('x=2',globals())"),
    "eval": ("l=[1]", "got.append(eval('len(l)'))", "l.append(2)"),
}

_NAMESPACE = {
    "globals()": "globals()['x'] = 2",
    "update": "globals().update(x=2)",
    "setdefault": "globals().setdefault('x', 2)",
    "pop": "globals().pop('x')",
    "exec": "exec('x = 2', globals())",
}


def _noticed(program: Runtime) -> bool:
    touched: dict[object, dict[int, bool]] = {}
    for task, op, target, _site, _point, _value, more in (tuple(step)[:7] for step in program.log):
        for each, where in ((op, target), *((access.op, access.target) for access in more)):
            by_task = touched.setdefault(where, {})
            by_task[task] = by_task.get(task, False) or WRITES[each]
    shared = (by for where, by in touched.items() if where[0] not in ("thread", "g"))  # type: ignore[index]  # a target
    return bool(program.untracked) or any(1 in by and 2 in by and any(by.values()) for by in shared)


def _program(setup: str, one: str, two: str) -> str:
    bodies = [f"def {name}():\n{textwrap.indent(body, '    ')}\n" for name, body in (("one", one), ("two", two))]
    return "\n".join(["got = []", setup, *bodies])


@pytest.mark.parametrize(("setup", "one", "two"), _PAIRS.values(), ids=_PAIRS.keys())
@pytest.mark.parametrize("first", ["one", "two"])
def test_the_two_are_seen_to_conflict(setup: str, one: str, two: str, first: str) -> None:
    order = ("one", "two") if first == "one" else ("two", "one")
    assert _noticed(run(_program(setup, one, two), *order))


@pytest.mark.parametrize("change", _NAMESPACE.values(), ids=_NAMESPACE.keys())
def test_a_global_changed_past_its_name_is_counted(change: str) -> None:
    assert run(_program("x = 1", "got.append(x)", change), "one", "two").untracked
