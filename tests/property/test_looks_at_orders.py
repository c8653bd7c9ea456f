"""Looks at containers to which two threads add, by ways that show the order: ``dpor`` shows what ``dfs`` shows.

Additions commute as long as nobody looks at their order (sections.py); a look that were taken for none would hide one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.shown_outcomes import explored

_PROGRAM = """\
import collections, copy, functools, heapq, itertools, json, operator, pickle, threading
from collections import Counter, OrderedDict, defaultdict, deque

out, lock = {initially}, threading.Lock()


def add(x):
    {body}


threads = [threading.Thread(target=add, args=(x,)) for x in {values}]
for each in threads: each.start()
for each in threads: each.join()
print({look})
"""

_OF_ALL = """out; list(out); tuple(out); [*out]; str(out); f'{out}'; repr(out); next(iter(out)); out.pop();
copy.copy(out); sorted(out, key=lambda x: 0); max(out, key=lambda x: 0); min(out, key=lambda x: 0);
list(enumerate(out)); print(*out); list(map(str, out)); list(zip(out, 'ab')); list(itertools.chain(out));
json.dumps(list(out)); (lambda a, b: a)(*out); functools.reduce(lambda a, b: a * 10 + b, out);
len(out) and list(out); bytes(out); list(filter(lambda x: True, out));
sum(x * 10 ** i for i, x in enumerate(out)); heapq.nsmallest(2, out, key=lambda x: 0); next(x for x in out);
min(zip(out, 'ab'), key=lambda p: p[1]); list(dict.fromkeys(out)); globals()['out']; sorted(out) == list(out)"""

_OF_LISTS = """out[0]; out[-1]; out.index(1); out == type(out)([1, 2]); out < type(out)([1, 3]); list(reversed(out));
tuple(out) == (1, 2); list(out) == [1, 2]; operator.itemgetter(0)(out); out.__getitem__(0); out + type(out)();
pickle.dumps(out); hash(tuple(out)); Counter(out).most_common(); ''.join(map(str, out)); '%s' % (out,); out.copy();
sum(out) and out[0]; any(i == 0 and x == 1 for i, x in enumerate(out)); (out.reverse(), out); copy.deepcopy(out)[0];
(out.extend([3]), out); max(enumerate(out)); isinstance(out, object) and out[0]"""

_OF_KEYS = """out.popitem(); list(out.items()); list(out.values()); list(reversed(out)); {**out}; dict(out); out.copy();
next(iter(out.items())); min(out.items(), key=lambda p: 0); list(out.keys())[-1]; out | {9: 9}; json.dumps(out);
sorted(out.values(), key=lambda x: 0); sum(v * 10 ** i for i, v in enumerate(out.values()))"""

_OF_SETS = "out | set(); list(out.copy()); frozenset(out); list(set(out))"


def _looks(*texts: str) -> list[str]:
    return [look.strip() for text in texts for look in text.split(";")]


_LISTS = [(each, body) for each in ("[]", "deque()") for body in ("with lock: out.append(x)", "out.append(x)")]
_DICTIONARIES = [
    *[(each, "with lock: out[x] = x") for each in ("{}", "OrderedDict()", "defaultdict(int)")],
    ("{1: 1, 2: 2}", "with lock: del out[x]; out[x] = x"),
    ("{1: 1, 2: 2}", "del out[x]; out[x] = x"),
]
_SETS = [("set()", "with lock: out.add(x)"), ("set()", "out.add(x)"), ("{0, 8}", "out.remove(x); out.add(x)")]

_CASES = [
    *[(*each, "(1, 2)", look) for each in _LISTS for look in _looks(_OF_ALL, _OF_LISTS)],
    *[(*each, "(1, 2)", look) for each in _DICTIONARIES for look in _looks(_OF_ALL, _OF_KEYS)],
    *[(*each, "(0, 8)", look) for each in _SETS for look in _looks(_OF_ALL, _OF_SETS)],  # their hashes collide
]


@pytest.mark.sampled
@pytest.mark.parametrize(("initially", "body", "values", "look"), _CASES)
def test_both_orders_are_seen(tmp_path: Path, initially: str, body: str, values: str, look: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(_PROGRAM.format(initially=initially, body=body, values=values, look=look))
    shown, by_dfs = explored(path, "dfs")
    assert by_dfs.complete
    assert explored(path, "dpor")[0].keys() == shown.keys()
