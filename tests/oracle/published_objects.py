"""Random Python programs whose threads make objects, and sooner or later hand them to others: finished or half made, by
every way on which a reference may go."""

from __future__ import annotations

import random
from typing import Final

from tests.oracle.python_programs import Program, Theme

_LEFT: Final = "[getattr(each, 'x', None) for each in (c.b, K.b, G, *l, *d.values())]"

#: How an object is made, before it is handed on.
_MADE: Final = (
    "p = Box(); p.x = {v}",
    "p = Box(); p.x = {v}; p.x += 1",
    "p = Pair(); p.x = {v}; p.y = p.x",
    "p = Box(); p.x = {v}; p.b = Box(); p.b.x = p.x",
    "for each in range(3): p = Box(); p.x = each",
    "p = Box(); old = Box(); old.x = {v}; p.x = old.x; del old",
    "p = Box(); p.x = 0\nwhile p.x < 2: p.x += 1",
    "p = Kept({v})",
    "p = c.b or Box(); p.x = {v}",
    "p = Box(); own = {{}}; own['p'] = p; own['p'].x = {v}; own.pop('p')",
    "own = []; own.append(Box()); p = own[0]; p.x = {v}; own[0] = p; own.insert(0, p); del own[0]",
    "p = Box(); own = set(); own.add(1); own.add({v}); p.x = len(own) + (1 in own)",
    "p = Box(); own = [0] * 3; p.x = 0\nwhile not own[2]:\n    own[p.x] = 1; p.x += 1",
)

#: Ways to hand it on.
_HANDED: Final = (
    "c.b = p",
    "K.b = p",
    "G = p",
    "l.append(p)",
    "l += [p]",
    "d['k'] = p",
    "d.setdefault('k', p)",
    "e.append((1, [p]))",
    "f.append(lambda: p.x)",
    "def add(o=p): o.x += 1; return o.x\nf.append(add)",
    "def look():\n    yield p.x\n    yield p.x\ng.append(look())",
    "def look():\n    try: yield p.x\n    finally: p.x = 4\ng.append(look()); next(g[-1])",
    "f.append(p.read)",
    "try: raise KeyError(p)\nexcept KeyError as error: e.append(error.args)",
    "t = threading.Thread(target=set_x, args=(p,)); t.start(); seen.append(p.x); t.join()",
    "def make():\n    own = []\n    own.append(p)\n    own[0].x += 1\n    return own\nl.extend(make())",
    "def make():\n    own = {}\n    for each in 'ak': own[each] = p\n    return own\nd.update(make()); d.pop('a')",
    "vars(c)['b'] = p",
    "setattr(c, 'b', p)",
)

#: What its maker does from then on.
_THEN: Final = ("p.x += 1", "p.x = 5", "seen.append(p.x)", "p.y = 1", "pass", "pass", "del p.x")

#: What others do with it.
_USED: Final = (
    "c.b.x",
    "c.b.x += 1",
    "c.b.x = 7",
    "c.b.b.x",
    "c.b and c.b.x",
    "K.b.x",
    "K.b.x = 8",
    "G.x",
    "G.x += 1",
    "l[0].x",
    "l[-1].x = 9",
    "l.pop().x",
    "[each.x for each in l]",
    "d['k'].x",
    "d.get('k', c).x",
    "e[0][1][0].x",
    "e[0][0].x",
    "f[0]()",
    "next(g[0])",
    "g.clear()",
    "hasattr(c.b, 'x')",
    "vars(c.b)['x']",
    "sorted(c.b.__dict__)",
)

_THEME: Final = Theme(
    (
        "class K: b = None",
        "class Kept(Box):",
        "    def __init__(self, x): self.x = 0; c.b = self; self.x = x",
        "    def read(self): return self.x",
        "def set_x(o): o.x = 6",
        "global G",
        "G = None",
        "Box.read = lambda self: self.x",
        "Pair.read = Box.read",
        "c = Box()",
        "c.b = None",
        "l = []",
        "d = {{}}",
        "e = []",
        "f = []",
        "g = []",
    ),
    (),
    _LEFT,
)


def drawn_published(number: int) -> Program:
    """The program of that number."""
    chance = random.Random(f"published {number}")
    threads = []
    for _ in range(2 if chance.random() < 0.7 else 3):
        ways = chance.sample(_HANDED, 1 if chance.random() < 0.8 else 2)
        lines = [chance.choice(_MADE).format(v=chance.randint(1, 3)), *ways, chance.choice(_THEN)]
        uses = [_caught(chance.choice(_USED)) for _ in range(chance.randint(0, 2))]
        order = chance.random()
        threads.append(tuple([*lines, *uses] if order < 0.4 else [*uses, *lines] if order < 0.6 else uses or lines))
    return Program((_THEME,), ("'a'",), tuple(threads), number)


def _caught(text: str) -> str:
    line = text if " = " in text or "+=" in text else f"seen.append({text})"
    return f"try: {line}\nexcept Exception as error: seen.append(type(error).__name__)"
