"""Instrumented Python is Python: each snippet does the same plain, instrumented, and instrumented among threads.

A snippet prints the values that it sees. Compared are its output, the exception it ends with, and that
exception's traceback: file, line and
function of each frame, and the columns too.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import textwrap
import traceback
from collections.abc import Callable
from types import CodeType
from typing import Any

import pytest
from tests.in_progress import in_progress

from mazurka.program.protocol import Plan
from mazurka.program.python.instrument import instrument
from mazurka.program.python.semantics import hooks
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned, Limits
from mazurka.trace.event import Op

FILE = "<snippet>"

#: Detail mode keeps objects with names until the run ends.
KEPT_ALIVE = "weak references and finalisers"

SNIPPETS: dict[str, str] = {
    "evaluation order of a store": """
        def note(x, log=[]):
            print("note", x)
            return x
        class Box: pass
        box = Box()
        items = {}
        note(box).a = note(1)
        items[note("k")] = note(2)
        note(items)[note("k") + "2"] = note(3)
        note(box).a += note(4)
        note(items)[note("k") + "2"] += note(5)
        note(items)[note("k")], note(box).b = note((6, 7))
        print(items, vars(box))
        """,
    "evaluation order of calls": """
        def note(x):
            print("note", x)
            return x
        class Odd:
            @property
            def append(self):
                print("looked up")
                return lambda *args: print("called", args)
        Odd().append(note(1) + note(2))
        Odd().append(*[note(1)], *[note(2)])
        [].append(note(3) + 1)
        note({}).update(note("a") and {"a": 1}, b=note(2))
        """,
    "augmented assignment of user types": """
        class Number:
            def __init__(self, value): self.value = value
            def __iadd__(self, other):
                print("iadd", self.value, other)
                return Number(self.value + other)
            def __ior__(self, other): return NotImplemented
            def __or__(self, other):
                print("or")
                return Number(self.value | other)
        class Holder:
            n = Number(1)
        holder = Holder()
        holder.n += 2
        holder.n |= 8
        print(holder.n.value, Holder.n.value)
        table = [Number(1)]
        table[0] += 5
        table[len(table) - 1] += 5
        print(table[0].value)
        n = Number(3)
        n += 1
        print(n.value)
        """,
    "augmented assignment that fails": """
        def f():
            x = [1]
            t = (x,)
            try:
                t[0] += [2]
            except TypeError as error:
                print(error, t)
            d = {}
            try:
                d["a"] += 1
            except KeyError as error:
                print(repr(error), d)
            t[0][5] += 1
        f()
        """,
    "in-place operators keep identity": """
        def f():
            a = b = [1]
            a += [2]
            print(a is b, b)
            s = t = {1}
            s |= {2}; s &= {2, 3}; s ^= {4}; s -= {4}
            print(s is t, t)
            d = e = {1: 2}
            d |= {3: 4}
            print(d is e, e)
            q = r = bytearray(b"a")
            q += b"b"; q *= 2
            print(q is r, r)
            x = (1,)
            x += (2,)
            print(x)
            i = 1
            i <<= 3; i //= 3; i **= 3; i %= 5; i @= 1
        f()
        """,
    "augmented target rebound by its own value": """
        class A: pass
        def f():
            x = A(); x.v = 1
            y = x
            x.v += (x := 5)
            print(y.v, x)
            d = {"k": 1}; k = "k"
            d[k] += (k := 10)
            print(d, k)
        f()
        """,
    "annotations of assignments": """
        class C:
            x: int = 1
            y: print("evaluated") = 2
            z: str
        print(C.__annotations__)
        def f():
            a: undefined_name = 3
            c = C()
            c.x: int = 4
            (c.y): int = 5
            print(a, c.x, c.y)
        f()
        """,
    "deletions": """
        class A: pass
        def f():
            a = A(); a.x = 1; d = {1: 2, 3: 4}; l = [0, 1, 2, 3, 4]
            del a.x, d[1], l[1:3]
            print(vars(a), d, l)
            i = 1
            del l[i - 1], (d[i + 2], l[0])
            print(d, l)
            del l
            try:
                l
            except UnboundLocalError as error:
                print(error)
            del d[9]
        f()
        """,
    "globals": """
        x = 1
        def bump():
            global x, fresh
            x += 1
            fresh = x * 2
        def drop():
            global fresh
            del fresh
        bump(); bump()
        print(x, fresh)
        drop()
        try:
            fresh
        except NameError as error:
            print(error, error.name)
        for x in range(3): pass
        (x, y), [z, *w] = (1, 2), (3, 4, 5)
        with open("/dev/null") as x: pass
        print(type(x).__name__, y, z, w)
        print(sorted(k for k in globals() if "mz" in k))
        """,
    "a global that is missing": """
        def f():
            return undefined
        f()
        """,
    "global functions, classes and imports rebound": """
        def make():
            global f, C, json
            def f(): return 1
            class C: pass
            import json
        make()
        def f2(): return f(), C.__name__, json.__name__
        print(f2())
        make()
        print(f2())
        """,
    "names of a class body": """
        x = "global"
        def outer():
            x = "outer"
            class C:
                print(x)
                x = "class"
                print(x)
                def m(self): return x
                y = [x for _ in range(1)]
                z = [i for i in x]
            return C
        x = "global again"
        C = outer()
        print(C().m(), C.y, C.z)
        class D:
            global x
            x = "from class"
            print(x)
        print(x)
        """,
    "closures": """
        def counter():
            n = 0
            def bump(by=1):
                nonlocal n
                n += by
                return n
            def read(): return n
            def drop():
                nonlocal n
                del n
            return bump, read, drop
        bump, read, drop = counter()
        bump(); bump(5)
        print(read(), bump.__code__.co_freevars, len(bump.__closure__))
        drop()
        try:
            read()
        except NameError as error:
            print(error)
        functions = [lambda: i for i in range(3)]
        print([f() for f in functions])
        def late():
            result = []
            for i in range(3):
                result.append(lambda: i)
            return [f() for f in result]
        print(late())
        """,
    "closures: targets of with, for, except and import": """
        import contextlib
        @contextlib.contextmanager
        def manager(): yield "managed"
        def f():
            def see(): return x
            for x in "ab": print(see())
            with manager() as x: print(see())
            try:
                raise ValueError("v")
            except ValueError as x:
                print(see())
            try:
                see()
            except NameError as error:
                print(error)
            import os as x
            print(see().__name__)
            x, y = 1, 2
            print(see())
            if (x := 7): print(see())
            match [1, 2]:
                case [x, 2]: print(see())
            x: int = 8
            print(see())
        f()
        """,
    "parameters that are cells": """
        def f(a, b=2, *args, c, **kw):
            def g():
                nonlocal a, args
                a += 1; args = args + (9,)
                return a, b, args, c, kw
            a = a * 10
            return g()
        print(f(1, 3, 4, c=5, d=6))
        """,
    "class cell and super": """
        class A:
            def f(self): return ["A"]
            def __init__(self): self.__secret = 1
            @classmethod
            def make(cls): return cls()
        class B(A):
            def f(self): return super().f() + ["B"]
            def g(self): return __class__.__name__, [super(B, self).f() for _ in "x"]
            @classmethod
            def make(cls): return super().make()
        b = B.make()
        print(b.f(), b.g(), vars(b))
        """,
    "name mangling": """
        class __Odd:
            __x = 1
            def __m(self): return self.__x
            def f(self):
                self.__y = 2
                self.__y += 1
                __local = [self.__m(), self.__y]
                def inner():
                    nonlocal __local
                    __local += [3]
                    return __local
                del self.__y
                return inner(), hasattr(self, "_Odd__y"), sorted(vars(self))
            def g(self):
                global __g
                __g = 1
                return __g
        print(__Odd().f(), __Odd().g(), _Odd__g, [n for n in vars(__Odd) if "Odd" in n])
        """,
    "descriptors, properties and slots": """
        class Data:
            def __set_name__(self, owner, name): self.name = name
            def __get__(self, obj, kind=None):
                print("get", self.name, obj is None)
                return 1
            def __set__(self, obj, value): print("set", self.name, value)
            def __delete__(self, obj): print("delete", self.name)
        class NonData:
            def __get__(self, obj, kind=None): return "computed"
        class A:
            d = Data(); n = NonData()
            __slots__ = ("s", "__dict__")
            @property
            def p(self): return self.s
            @p.setter
            def p(self, value): self.s = value
        a = A()
        a.d; a.d = 2; a.d += 1; del a.d; A.d
        print(a.n); a.n = "own"; print(a.n)
        a.p = 3; a.p += 1; print(a.p, a.s)
        del a.s
        try:
            a.s
        except AttributeError as error:
            print(error)
        a.q
        """,
    "attribute hooks of classes": """
        class A:
            def __getattr__(self, name):
                print("getattr", name)
                if name.startswith("no"): raise AttributeError(name)
                return name
            def __getattribute__(self, name):
                print("getattribute", name)
                return super().__getattribute__(name)
            def __setattr__(self, name, value):
                print("setattr", name, value)
                object.__setattr__(self, name, value)
            def __delattr__(self, name):
                print("delattr", name)
                super().__delattr__(name)
        a = A()
        a.x; a.x = 1; a.x += 1; print(a.x); del a.x
        print(hasattr(a, "nothing"), getattr(a, "none", 5), getattr(a, "y"))
        setattr(a, "z", 3); delattr(a, "z")
        """,
    "item hooks of classes": """
        class A:
            def __getitem__(self, k): print("get", k); return [k]
            def __setitem__(self, k, v): print("set", k, v)
            def __delitem__(self, k): print("del", k)
            def __contains__(self, k): print("in", k); return k
            def __len__(self): print("len"); return 0
            def __iter__(self): print("iter"); return iter("ab")
            def __class_getitem__(cls, k): return ("class", k)
        a = A(); i = 1
        a[1]; a[i + 1]; a[1:2]; a[i:]; a[i + 1 :: i * 3]; a[1, i + 1:2]; a[..., None]
        a[1] = 2; a[i + 1] = 3; a[:] = 4; a[i + 1:] = 5
        a[1] += [6]; a[i + 1] += [7]
        del a[1], a[i + 1], a[:i + 1]
        print(1 in a, 0 not in a, "" in a, (i + 1) not in a)
        if a: print("true")
        print(not a, a and 1, a or 2, 3 if a else 4, bool(a), len(a))
        print([*a], list(a), A[int], A[i + 1])
        """,
    "subclasses of containers": """
        class D(dict):
            def __getitem__(self, k): return ("got", super().__getitem__(k))
            def __setitem__(self, k, v): super().__setitem__(k, v * 2)
            def __missing__(self, k): return "missing"
            def get(self, k, default=None): return "mine"
        d = D(); d["a"] = 1; d["a"] += (2,) if False else ()
        print(d, d["b"], d.get("a"), D.__getitem__(d, "a"), dict.__getitem__(d, "a"))
        class L(list):
            def append(self, x): super().append(x); super().append(x)
            def __iter__(self): return iter(["own"])
            def __len__(self): return 99
        l = L(); l.append(1)
        print(list(l), len(l), l[0], [x for x in l], bool(l))
        """,
    "container methods": """
        from collections import Counter, OrderedDict, defaultdict, deque
        def f():
            k = "b"
            d = {"a": 1}
            print(d.get("a"), d.get(k, 3), d.setdefault(k, []), d.pop("a"), d.pop("zz", None), d.items(), d.keys())
            d.update(x=1, y=2); d.update([("z", 3)]); d |= {k + k: 1}
            print(sorted(map(str, d.items())), d.popitem(), d.copy() == d, d.clear(), d)
            l = [3, 1, 2]
            l.append(len(l)); l.extend(range(2)); l.insert(0, k); l.remove(k); l.sort(reverse=True); l.reverse()
            print(l, l.pop(), l.pop(0), l.index(3), l.count(1), l * 2, l + [1], l.copy())
            s = {1, 2}
            s.add(3); s.discard(9); s.remove(1); s.update([7], (8,)); s.difference_update({8})
            print(sorted(s), s | {0}, s & {2}, s - {2}, s ^ {2}, s.union([5]), s >= {2}, s.isdisjoint([9]))
            q = deque([1, 2], maxlen=3)
            q.append(3); q.appendleft(0); q.rotate(1); q.extend([5]); print(q, q.pop(), q.popleft(), q[0])
            b = bytearray(b"ab"); b.append(99); b[0] = 65; b += b"z"; print(b, b[1:], b.find(b"z"))
            o = OrderedDict(a=1, b=2); o.move_to_end("a"); print(o, o.popitem(last=False), o.popitem())
            e = defaultdict(list); e[k].append(1); e[k + k] += [2]; print(e, "q" in e, e.get("q"))
            c = Counter("abca"); c["a"] += 1; c.update("zz"); c.subtract("z"); print(c.most_common(2),
                c["none"], c.total())
        f()
        """,
    "errors of container methods": """
        def f(action):
            try:
                action()
            except Exception as error:
                print(type(error).__name__, error)
        f(lambda: {}.pop("a")); f(lambda: [].pop()); f(lambda: [1].remove(2)); f(lambda: {}["x"]); f(lambda: [][0])
        f(lambda: {[]: 1}); f(lambda: {}.get([])); f(lambda: set().add({})); f(lambda: [].append())
        f(lambda: {}.popitem())
        f(lambda: [1]["a"]); f(lambda: None[0]); f(lambda: None.append(1)); f(lambda: (1).get("a")); f(lambda: len(5))
        f(lambda: 1 in 5); f(lambda: list(5)); f(lambda: next([])); f(lambda: sum(["a"]))
        f(lambda: [] < {}); f(lambda: [] + {})
        f(lambda: {} | []); f(lambda: getattr(1)); f(lambda: getattr(1, 2)); f(lambda: max([]))
        f(lambda: sorted([1, "a"]))
        f(lambda: len()); f(lambda: isinstance(1, [])); f(lambda: [].sort(key=1)); f(lambda: {}.update(5))
        f(lambda: "%d" % [])
        """,
    "iteration that changes what it goes through": """
        def f(action):
            try:
                print(action())
            except RuntimeError as error:
                print(error)
        def grow_dict():
            d = {1: 1}
            for k in d: d[k + 1] = 1
        def grow_items():
            d = {1: 1}
            for k, v in d.items(): d[k + v] = 1
        def grow_set():
            s = {1}
            return [s.add(x + 1) for x in s]
        def grow_deque():
            from collections import deque
            q = deque([1])
            for x in q: q.append(x)
        def grow_list():
            l = [0]
            for x in l:
                if x < 5: l.append(x + 1)
            return l
        def shrink_list():
            l = [1, 2, 3, 4]
            for x in l: l.remove(x)
            return l
        def reverse_list():
            l = [1, 2, 3]
            return [(l.append(9) or x) for x in reversed(l)]
        for action in (grow_dict, grow_items, grow_set, grow_deque, grow_list, shrink_list, reverse_list): f(action)
        """,
    "a dictionary that changes size, uncaught": """
        def f():
            d = {1: 1}
            for k in d:
                d[k + 1] = 1
        f()
        """,
    "iteration through combinators": """
        def f():
            l = [3, 1, 2]; d = {"a": 1, "b": 2}; t = (1, 2)
            for i, x in enumerate(l): print(i, x)
            for a, b in zip(l, d): print(a, b)
            for a, b in zip(l, d.items(), strict=False): print(a, b)
            for x in map(str, l): print(x)
            for x in filter(None, d.values()): print(x)
            for x in reversed(l): print(x)
            for x in sorted(d): print(x)
            for x in l[1:]: print(x)
            it = iter(l)
            print(next(it), next(it), next(it), next(it, "end"))
            print(sum(l), min(d), max(l, default=0), any(l), all(d), list(map(str, l)), dict(zip(d, l)), set(l),
                tuple(d))
            a, b, c = l; x, *y = d; print(a, b, c, x, y, [*l, *d], {**d, "c": 3}, f"{l} {d!r:>20} {t}")
            for a.real in (): pass
            for d["loop"] in l: pass
            for l[0], d["x" + "y"] in [(1, 2)]: pass
            print(d, l, [d["z"] for d["z"] in t])
            print(type(iter(l)).__name__, type(enumerate(l)).__name__)
        f()
        """,
    "unpacking that fails": """
        def f(x):
            a, b = x
        for x in ([1], [1, 2, 3], 5, {}, None):
            try:
                f(x)
            except (TypeError, ValueError) as error:
                print(error)
        f([1])
        """,
    "loops with else, break, continue and return": """
        def f(n):
            while n:
                n -= 1
                if n == 3: continue
                if n == 1: break
            else:
                print("else")
            for i in range(n):
                for j in [1, 2]:
                    if j == 2: break
                else: print("no")
            else: print("for else")
            while True:
                n += 1
                while n < 10:
                    n += 3
                    if n > 8: return n
        print(f(5), f(0))
        """,
    "generators": """
        def g(items):
            try:
                got = yield len(items)
                print("got", got)
                yield from items
                items[0] = yield
            finally:
                print("finally", items)
            return "result"
        l = [1, 2]
        it = g(l)
        print(next(it), it.send("x"), next(it), next(it))
        try:
            it.send(9)
        except StopIteration as stop:
            print(stop.value)
        it = g(l); next(it); it.close()
        it = g(l); next(it)
        try:
            it.throw(KeyError("thrown"))
        except KeyError as error:
            print(error)
        print(sum(x for x in l), list(x + y for x in l for y in l if x))
        def endless():
            n = 0
            while True:
                yield n
                n += 1
        for n in endless():
            if n == 5: break
        def same():
            while True:
                yield 1
        print([x for _, x in zip(range(5), same())])
        """,
    "coroutines": """
        import asyncio
        class Manager:
            async def __aenter__(self): return self
            async def __aexit__(self, *args): self.left = True
        class Numbers:
            def __init__(self): self.n = 0
            def __aiter__(self): return self
            async def __anext__(self):
                self.n += 1
                if self.n > 2: raise StopAsyncIteration
                return self.n
        async def f(d):
            async with Manager() as d["m"]:
                async for d["x"] in Numbers(): print(d["x"])
            print(d["m"].left, [x async for x in Numbers() if x], {x: await g(x) async for x in Numbers()})
            return (await g(5)) + d.get("none", await g(1))
        async def g(x):
            await asyncio.sleep(0)
            return x
        loop = asyncio.new_event_loop()
        print(loop.run_until_complete(f({})))
        loop.close()
        """,
    "match": """
        class P:
            __match_args__ = ("x", "y")
            def __init__(self, x, y): self.x = x; self.y = y
        class K: ONE = 1
        def f(v):
            match v:
                case K.ONE: return "one"
                case [a, *rest] if rest: return a, rest
                case {"k": k, **others}: return k, others
                case P(x=0) | P(_, 0): return "axis"
                case P(x, y): return x, y
                case str() as s: return s
                case (1 | 2) as n: return n
                case None: return "none"
                case _: return "other"
        for v in (1, [1, 2], [1], {"k": 1, "z": 2}, P(0, 5), P(1, 0), P(1, 2), "s", 2, None, 3.5): print(f(v))
        """,
    "walrus": """
        def f(l):
            if (n := len(l)) > 1: print(n)
            print([y := x * 2 for x in l], y, [last := z for z in l][-1], last)
            while (x := l.pop() if l else None): print(x)
            return (lambda: (inner := 5) + inner)()
        print(f([1, 2, 3]))
        (top := 5); print(top)
        top = 6
        """,
    "lambdas, defaults and decorators": """
        def deco(*args):
            print("deco", args)
            def wrap(f):
                print("wrap", f.__name__)
                return f
            return wrap
        d = {"a": [1]}
        @deco(d["a"][0], d.get("a"))
        @deco(len(d))
        def f(x=d["a"], *, y=d.get("q", 5), z=lambda v=d: v["a"]): return x, y, z()
        d["a"] = [2]
        print(f(), f.__defaults__, f.__kwdefaults__["y"], f.__code__.co_firstlineno)
        @deco("class")
        class C(*[object], metaclass=d.get("m", type)):
            "doc"
            x = [i for i in d["a"]]
        print(C.__doc__, C.x)
        """,
    "docstrings and names": """
        "module doc"
        def f():
            "f doc"
        class C:
            "C doc"
            def m(self):
                '''m doc'''
                global nothing
                return locals()
        def g(a):
            f"not a doc {a}"
        print(__doc__, f.__doc__, C.__doc__, C.m.__doc__, g.__doc__, C.m.__qualname__, C().m().keys())
        """,
    "try, finally and exceptions": """
        def f(d):
            try:
                try:
                    d["missing"]
                except KeyError as error:
                    raise ValueError(d.get("x")) from error
                else: print("no")
                finally: print("inner", sorted(d))
            except (ValueError, d.get("t", TypeError)) as error:
                print(repr(error), repr(error.__cause__), error.__traceback__.tb_lineno)
            try:
                return d["a"]
            finally:
                d["a"] = 2
        d = {"a": 1}
        print(f(d), d)
        try:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
        except* ValueError as group:
            print(group.exceptions)
        except* d.get("e", KeyError): print("keys")
        def g():
            for x in [1, 2]:
                try: continue
                finally: print("finally", x)
        g()
        assert d["a"] == 2, "message"
        assert not d, d["a"] + d.get("b", 1)
        """,
    "with": """
        class M:
            def __init__(self, name): self.name = name
            def __enter__(self): print("enter", self.name); return [self.name]
            def __exit__(self, kind, error, tb): print("exit", self.name,
                kind and kind.__name__); return self.name == "quiet"
        class Box: pass
        box = Box(); d = {}
        with M("a") as box.x, M("b") as d["y"], M("c") as (d["z"],): print(box.x, d)
        with M("quiet"): d["nothing"]
        with M("loud") as [*rest]:
            print(rest)
            box.nothing
        """,
    "comparison and operators": """
        def f(a, b):
            print(a == b, a != b, a is b, [a] == [b], a == [1], {1: a} == {1: b}, a + b, (a and b) == (a or b))
            print(1 < len(a) <= 3 != 5, 1 in a in [[1, 2]], not a == b, a == b == [1, 2], len(a) == len(b))
        f([1, 2], [1, 2]); f([1], [2])
        class E:
            def __eq__(self, other): print("eq"); return "odd"
            def __ne__(self, other): print("ne"); return "odder"
            __hash__ = None
            def __add__(self, other): print("add"); return NotImplemented
            def __radd__(self, other): print("radd"); return 5
            def __or__(self, other): return ("or", other)
            def __contains__(self, x): return []
        def make(): return E()
        e = make()
        print(e == 1, 1 == e, e != e, make() == make(), make() != e, 1 + e, e | e, make() | make(), 3 in e,
            3 not in make())
        e + make()
        """,
    "dataclasses, enums and named tuples": """
        from dataclasses import asdict, dataclass, field, replace
        from enum import Enum, auto
        from typing import NamedTuple
        @dataclass(order=True)
        class P:
            x: int
            y: list = field(default_factory=list)
            def __post_init__(self): self.x += 1
        @dataclass(frozen=True, slots=True)
        class F:
            a: int = 1
        class Color(Enum):
            RED = auto(); BLUE = auto()
            def low(self): return self.name.lower()
        class N(NamedTuple):
            a: int
            b: int = 2
        p = P(1); p.y.append(2); p.x += 1
        print(p, asdict(p), replace(p, x=5) > p, P(1) == P(1), {F(): 1}[F(1)], Color.RED.low(), Color["BLUE"],
            Color(1), N(1), N(1)._replace(b=3))
        for color in Color: print(color)
        F().a = 3
        """,
    "metaclasses": """
        class Meta(type):
            registry = {}
            def __new__(mcs, name, bases, space, **kw):
                print("new", name, sorted(k for k in space if not k.startswith("__")), kw)
                return super().__new__(mcs, name, bases, space)
            def __prepare__(name, bases, **kw): return {"prepared": 1}
            def __call__(cls, *args):
                cls.registry[cls.__name__] = cls.registry.get(cls.__name__, 0) + 1
                return super().__call__(*args)
            def __getattr__(cls, name): return "meta " + name
            def __eq__(cls, other): return cls is other
            def __hash__(cls): return 1
            count = 0
        class A(metaclass=Meta, option=5):
            x = prepared + 1
        A.count += 1
        A(); A()
        print(A.registry, A.x, A.missing, A.count, Meta.count, A == A)
        """,
    "frames, locals and warnings": """
        import inspect, sys, warnings
        class A:
            def __getattr__(self, name): return sys._getframe(1).f_code.co_name
            def __getitem__(self, k): return sys._getframe(1).f_code.co_name
            def __iadd__(self, other): print(sys._getframe(1).f_code.co_name); return self
            def __eq__(self, other): return sys._getframe(1).f_code.co_name
            def __contains__(self, k): print(sys._getframe(1).f_code.co_name); return True
            def __len__(self): print(sys._getframe(1).f_code.co_name); return 1
            def __iter__(self): print(sys._getframe(1).f_code.co_name); return iter(())
        def caller():
            a = A(); h = [a]; i = 0
            print(a.x, a[0], a[i + 1], a == h[i], 1 in a, a[i:], len(a), bool(a), [*a], list(a))
            h[i + 0] += 1
            if a: pass
            for x in a: pass
            print(sorted(locals()), sorted(vars()), inspect.currentframe().f_lineno)
            return eval("i + 1"), [k for k in dir() if "mz" in k]
        print(caller())
        def warn():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                def old(): warnings.warn("old", DeprecationWarning, stacklevel=2)
                old()
            print(caught[0].lineno, caught[0].message)
        warn()
        """,
    "tracebacks through calls": """
        import json
        class A:
            def f(self, d):
                return self.g(
                    d["a"] +
                    1,
                )
            def g(self, x):
                return [self.h(y)
                        for y in x]
            def h(self, y):
                return y.upper() + json.loads(
                    y + "{")
        try:
            A().f({"a": "x"})
        except TypeError as error:
            print(error)
        A().g(["x", "y"])
        """,
    "tracebacks from hooks' operands": """
        def bad(): raise LookupError("bad")
        class A: pass
        def f():
            a = A(); d = {}
            for action in (lambda: a.x.y, lambda: d[bad()], lambda: bad().z, lambda: d.get(bad() + 1),
                lambda: len(bad())):
                try:
                    action()
                except Exception as error:
                    tb = error.__traceback__
                    while tb: print(tb.tb_lineno, tb.tb_frame.f_code.co_name, end=" "); tb = tb.tb_next
                    print(error)
            d["x"]["y"] = a.nothing
        f()
        """,
    "recursion": """
        import sys
        def f(n, d): return d.get(n) or (f(n - 1, d) + 1 if n else 0)
        print(f(300, {}))
        def g(d): return g(d) + d["x"]
        try:
            g({})
        except RecursionError as error:
            print("too deep")
        """,
    "star arguments": """
        def f(*args, **kw): return args, kw
        d = {"b": 2}; l = [1, 2]
        print(f(*l, 3, *d, a=1, **d), f(**{"x": 1}, **d), f(*"ab"), f(*(x for x in l)))
        print(max(*l), print(*l, sep="-"), dict(**d, c=3), [*range(2), *l], {*l, *d}, (*l,))
        try:
            f(**{1: 2})
        except TypeError as error:
            print("keywords")
        f(*l, **{"a": 1}, **{"a": 2})
        """,
    "keywords that hooks might take for theirs": """
        from collections import namedtuple
        T = namedtuple("T", "function site args named thing name run self")
        print(T(function=1, site=2, args=3, named=4, thing=5, name=6, run=7, self=len("a") + 1))
        d = {}
        d.update(function=1, site=len(d), name=2, self=3, thing=4)
        print(d, dict(function=1, site=d.get("site")))
        """,
    "format strings": """
        d = {"k": [1], "w": 8}; x = 3.14159; n = "name"
        class A:
            def __format__(self, spec): return f"<{spec}>"
        a = A(); a.v = {"q": 1}
        print(f"{d['k']} {d['k'][0]:>{d['w']}} {x:.{d['k'][0]}f} {n!r} {a} {a:spec} {a.v['q']} {x=}")
        print(f"{d.get('z')=!s} {{}}")
        print("{0[k]} {1.v}".format(d, a), "%(k)s" % d, f"{[y for y in d]}", f"{(lambda v: v + 1)(2)}")
        """,
    "getattr, vars and __dict__": """
        class A:
            y = 2
        a = A()
        a.__dict__["x"] = 1
        vars(a)["z"] = 3
        name = "w"
        setattr(a, name, 4)
        a.__dict__.update(q=5)
        print(a.x, getattr(a, "z"), getattr(a, name), getattr(a, "none", None), hasattr(a, "y"), vars(a),
            a.__dict__ is vars(a))
        delattr(a, name)
        del a.__dict__["x"]
        a.__dict__ = {"fresh": 1}
        print(vars(a), a.fresh)
        getattr(a, "gone")
        """,
    "modules": """
        import math, types, sys
        m = types.ModuleType("m")
        m.x = 1
        m.x += 1
        m.f = lambda: m.x
        print(m.x, m.f(), math.floor(2.5), hasattr(m, "y"), sys.modules[__name__ if False else "sys"].__name__)
        del m.x
        m.x
        """,
    "copying, sorting and opaque calls": """
        import bisect, copy, functools, heapq, itertools, json, operator, random
        heap = []; data = {"a": [3, 1, 2]}
        for x in data["a"]: heapq.heappush(heap, x * 2)
        bisect.insort(data["a"], 0)
        print(heap, heapq.heappop(heap), data, copy.deepcopy(data), copy.copy(data["a"]), json.dumps(data,
            indent=None))
        print(sorted(data["a"], key=lambda x: -x), functools.reduce(operator.add, data["a"], 0),
            list(itertools.chain(heap, data)))
        print(list(itertools.islice(itertools.count(), 3)), operator.itemgetter("a")(data),
            random.Random(1).choice(data["a"]))
        json.dumps({"a": object()})
        """,
    "weak references and finalisers": """
        import gc, weakref
        class A:
            def __del__(self): print("deleted")
        def f():
            a = A(); w = weakref.ref(a)
            a.x = 1
            del a
            print(w())
            h = [A()]
            h[0].x = 1
            h.pop()
            print("popped")
        f()
        gc.collect()
        """,
    "type checks and odd literals": """
        from typing import TYPE_CHECKING, Generic, List, Optional, TypeVar
        if TYPE_CHECKING: import nothing_there
        T = TypeVar("T")
        class G(Generic[T]):
            items: "List[T]" = []
        def f(x: Optional[int] = None, *a: List[int], **k: "nothing") -> List["nothing"]: return x
        print(f.__annotations__.keys(), G[int].__args__, list[int], dict[str, int].__args__, __debug__, ...,
            1_000, 0x1F, 1j, b"a" b"b")
        print([1, 2][0], "abc"[1], (1, 2)[-1], {1: 2}[1], [*"ab"][::-1], "abc"[1:][0], -1 ** 2, not 1, ~5)
        """,
    "exec, eval and import": """
        space = {}
        exec("x = [1]\\ndef f(): return x[0]", space)
        print(space["f"](), eval("x[0] + y", space, {"y": 1}))
        from os import path as p, sep
        import os.path
        print(p is os.path, sep)
        from nothing_of_this_name import x
        """,
    "exit": """
        import sys
        d = {"status": 3}
        try:
            sys.exit(d["status"])
        finally:
            print("finally")
        """,
}

if sys.version_info >= (3, 12):
    SNIPPETS["syntax of Python 3.12"] = """
        def first[T](items: list[T]) -> T: return items[0]
        class Stack[T]:
            def __init__(self): self.items: list[T] = []
            def push(self, x: T): self.items.append(x)
        type Pair[A] = tuple[A, A]
        s = Stack[int](); s.push(1)
        print(first(s.items), first.__type_params__, Pair.__name__, f"{'nested' + f'{1}'} {s.items[0]!r:>{'5'}}")
        """

if sys.version_info >= (3, 14):
    SNIPPETS["syntax of Python 3.14"] = """
        import annotationlib
        class Box: pass
        box = Box(); box.a = 7; box.width = 3
        items = {"k": "v"}
        def note(x): print("note", x); return x
        class Late:
            held: Unknown[items["k"]] = items["k"]
            def told(self, x: AlsoUnknown = box.a) -> box.a:
                inner: NeverLookedAt = self.held
                return inner, x
        print(Late().told(), annotationlib.get_annotations(Late, format=annotationlib.Format.STRING))
        print(annotationlib.get_annotations(Late.told, format=annotationlib.Format.FORWARDREF)["return"])
        told = t"{note(box.a)!r:>{note(box.width)}} and {items['k']=} {box}"
        print(told.strings, [(i.expression, i.conversion, i.format_spec) for i in told.interpolations], told.values[:2])
        try:
            items["none"]
        except ValueError, KeyError:
            print("caught")
        def leaves():
            for _ in range(1):
                try:
                    return box.a
                finally:
                    items["k"] += "w"
        print(leaves(), items)
        Late().told.nothing
        """

if sys.version_info >= (3, 15):
    SNIPPETS["syntax of Python 3.15"] = """
        lazy import colorsys
        lazy from fractions import Fraction as Part, nothing_of_this_name
        class Box: pass
        box = Box(); box.parts = [[1, 2], (3,)]; box.maps = [{"a": 1}, {"b": 2}]
        def noted(x): print("note", x); return x
        print([*noted(each) for each in box.parts], {*each for each in box.parts if each})
        print({**noted(each) for each in box.maps}, {**each for maps in [box.maps] for each in maps})
        handed = (*noted(each) for each in box.parts)
        print(next(handed), list(handed), sum((*[each, 1] for each in range(3))))
        try:
            [*each for each in (box.parts, 1)]
        except TypeError as error:
            print(error)
        try:
            {**each for each in [1]}
        except TypeError as error:
            print(error)
        print(type(globals()["colorsys"]).__name__, type(globals()["Part"]).__name__)
        def use():
            global Part
            print(Part(1, 2), colorsys.ONE_THIRD > 0)
            Part = 7
            return Part
        print(use(), Part)
        fixed = frozendict(k=box.parts); nobody = sentinel("nobody")
        fixed["k"].append(nobody)
        print(fixed, fixed | {"x": 1}, hash(frozendict(a=1)) == hash(frozendict(a=1)))
        nothing_of_this_name
        """


def compiled(source: str, instrumented: bool) -> CodeType:
    if instrumented:
        return instrument.instrument_source(source, FILE)
    code: CodeType = compile(source, FILE, "exec", dont_inherit=True)
    return code


def observe(code: CodeType, around: Callable[[Callable[[], None]], None]) -> tuple[str, str, list[Any]]:
    """Output, exception and traceback of running ``code``, called through ``around``."""
    output = io.StringIO()
    ending: list[Any] = ["", []]

    def run() -> None:
        try:
            exec(code, {"__name__": "snippet", "__builtins__": __builtins__})
        except BaseException as error:
            ending[0] = f"{type(error).__name__}: {error}"
            summary = traceback.extract_tb(error.__traceback__)
            ending[1] = [(each.filename, each.lineno, each.name, each.colno, each.end_colno) for each in summary[1:]]

    with contextlib.redirect_stdout(output):
        around(run)
    return re.sub("0x[0-9a-f]+", "0x", output.getvalue()), ending[0], ending[1]


def alone(run: Callable[[], None]) -> None:
    run()


def among_threads(run: Callable[[], None]) -> None:
    """Inside a run of the runtime, while another thread waits."""
    running = Runtime(Plan(), Learned(), Limits(steps=10**7, passes=10**7))
    ended: list[bool] = []

    def main() -> None:
        running.fork(lambda: running.block(Op.READ, ("idle",), lambda: bool(ended)), daemon=False)
        run()
        ended.append(True)

    hooks.restart(running)
    with in_progress(running):
        running.run(main)
        hooks.finish(running)
    assert not running.truncated
    assert ended


@pytest.fixture(autouse=True)
def _hooks() -> Any:
    hooks.install()
    yield
    hooks.uninstall()


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", SNIPPETS)
def test_instrumented_does_the_same(name: str) -> None:
    source = textwrap.dedent(SNIPPETS[name])
    plain = observe(compiled(source, False), alone)
    assert observe(compiled(source, True), alone) == plain
    assert observe(compiled(source, True), among_threads) == plain


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", [name for name in SNIPPETS if name != KEPT_ALIVE])
def test_detail_and_further_events_change_nothing(name: str) -> None:
    """With values and names recorded, branches and calls as events."""
    source = textwrap.dedent(SNIPPETS[name])
    plain = observe(compiled(source, False), alone)
    code = instrument.instrument_source(source, FILE, instrument.EventOptions(branches=True, calls=True))

    def detailed(run: Callable[[], None]) -> None:
        running = Runtime(Plan(detail=True), Learned(), Limits(steps=10**7, passes=10**7))
        ended: list[bool] = []

        def main() -> None:
            running.fork(lambda: running.block(Op.READ, ("idle",), lambda: bool(ended)), daemon=False)
            run()
            ended.append(True)

        hooks.restart(running)
        with in_progress(running):
            running.run(main)
            hooks.finish(running)
        assert ended

    assert observe(code, detailed) == plain


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_the_snippets_are_the_programs_they_claim_to_be() -> None:
    """None of them stops early because of a mistake of its own: syntax errors and the like."""
    for name, snippet in SNIPPETS.items():
        _, error, frames = observe(compiled(textwrap.dedent(snippet), False), alone)
        assert not error.startswith(("SyntaxError", "IndentationError")), name
        assert frames or not error or error.startswith("SystemExit"), (name, error, sys.version)
