"""Errors in texts that state properties: their messages, places and carets, compared with
``tests/golden/property_errors.txt`` (``UPDATE_GOLDEN=1`` writes it anew)."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from mazurka.errors import MazurkaError
from mazurka.properties.parsing import parsed, parsed_file

_EXPECTED = Path(__file__).parents[1] / "golden" / "property_errors.txt"
_UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))

_HEAD = (
    "property p(m, key):\n    event check(m, key): returning call dict.get(m, key)\n    event act(m): dict.clear(m)\n"
)
_BODY = _HEAD + "    pattern: check act\n"


def _event(pointcut: str) -> str:
    return f"property p(m):\n    event act(m): {pointcut}\n    pattern: act\n"


def _pattern(pattern: str) -> str:
    return _HEAD + f"    pattern: {pattern}\n"


_CASES = {
    "condition on a parameter that nothing binds": (
        "property p(t):\n    event act(t): call f(x) if t in x\n    pattern: act\n"
    ),
    "condition on an unknown name": (
        "property p(t):\n    event make(t): call g(t)\n    event act(t): call f(x) if tt in x\n    pattern: make act\n"
    ),
    "exception of C": _event("raising call c:free(m)"),
    "deletion in C": _event("delete c:account.balance(m)"),
    "keyword in C": _event("call c:free(m, size=1)"),
    "class in C": _event("call c:free(m, is list)"),
    "empty": "",
    "only a comment": "# nothing\n",
    "misspelt property": "propery p(m):\n    pattern: a\n",
    "no name": "property (m):\n",
    "no colon": "property p(m)\n    pattern: a\n",
    "no body": "property p(m):\n",
    "not indented": "property p(m):\nevent a(m): f(m)\n",
    "indented at top": "   property p(m):\n     pattern: a\n",
    "dedent too much": "property p(m):\n    event a(m): f(m)\n  pattern: a\n",
    "distinct objects of an unknown parameter": (
        "property p(m, key):\n    distinct: m, kex\n    event a(m, key): f(m, key)\n    pattern: a\n"
    ),
    "distinct from itself": "property p(m):\n    distinct: m, m\n    event a(m): f(m)\n    pattern: a\n",
    "distinct from nothing": "property p(m):\n    distinct: m\n    event a(m): f(m)\n    pattern: a\n",
    "two lines distinct": (
        "property p(m, k):\n    distinct: m, k\n    distinct: k, m\n    event a(m, k): f(m, k)\n    pattern: a\n"
    ),
    "name of another kind of bug": "property deadlock(m):\n    event a(m): f(m)\n    pattern: a\n",
    "misspelt event": "property p(m):\n    evnt a(m): f(m)\n",
    "misspelt pattern": "property p(m):\n    event a(m): f(m)\n    patern: a\n",
    "misspelt moment": _event("retuning call f(m)"),
    "misspelt operation": _event("before cal f(m)"),
    "capital": _event("Before call f(m)"),
    "no pointcut": _event(""),
    "no name in call": _event("before call"),
    "bad name": _event("call dict..pop(m)"),
    "bad braces": _event("call {a, }b.(m)"),
    "empty alt": _event("call {a,}(m)"),
    "unclosed": _event("call f(m"),
    "unclosed in pattern": _pattern("(check act"),
    "too closed": _pattern("check) act"),
    "unclosed text": _event("call f(m, 'abc)"),
    "unknown escape": _event(r"call f(m, 'a\d')"),
    "unknown escape description": "property p(m):\n    'a\\q'\n" + _event("f(m)").split("\n", 1)[1],
    "bad hex": _event(r"call f(m, '\x1')"),
    "number": _event("call f(m, 12ab)"),
    "positional after keyword": _event("call f(x=1, m)"),
    "keyword twice": _event("call f(m, x=1, x=2)"),
    "rest not last": _event("call f(..., m)"),
    "value of get": _event("get A.b(m) = 3"),
    "set item": _event("delete dict(m)[1] = 3"),
    "too many operands": _event("get A.b(m, 3, 4)"),
    "result before": _event("call f(m) -> None"),
    "result of set": _event("returning set A.b(m) -> None"),
    "dotted": _event("call f(m, json.JSON)"),
    "type alternatives": _event("call f(m, is {a,b})"),
    "condition attribute": _event("call f(m) if m.x == 1"),
    "condition call": _event("call f(m) if open(m)"),
    "condition name": _event("call f(m, kye) if key == 1 and kye"),
    "condition syntax": _event("call f(m) if m =="),
    "condition empty": _event("call f(m) if"),
    "condition isinstance": _event("call f(m) if isinstance(m, dic)"),
    "condition is": _event("call f(m) if m is 3"),
    "condition lambda": _event("call f(m) if (lambda: 1)()"),
    "condition lines": _event("call f(m) if (m == 1\n          and m.y)"),
    "condition escape": _event(r"call f(m) if m == '\d'"),
    "condition walrus": _event("call f(m) if (m := 3)"),
    "undeclared operand": "property p(map, key):\n    event act(map, key): call f(map, kye)\n    pattern: act\n",
    "undeclared parameter of event": "property p(map, key):\n    event act(map, kee): f(map, kee)\n    pattern: act\n",
    "not bound": "property p(m, key):\n    event act(m, key): call f(m, key) | g(m)\n    pattern: act\n",
    "not bound any": _event("call f"),
    "unused parameter": "property p(m, key):\n    event act(m): call f(m)\n    pattern: act\n",
    "unused event": _pattern("check"),
    "unknown event": _pattern("check atc"),
    "two events": _HEAD + "    event act(m): f(m)\n    pattern: check act\n",
    "two parameters": "property p(m, m):\n    event act(m): call f(m)\n    pattern: act\n",
    "two event parameters": "property p(m):\n    event act(m, m): call f(m)\n    pattern: act\n",
    "two properties": _BODY + _BODY,
    "two patterns": _BODY + "    pattern: act check\n",
    "no pattern": _HEAD,
    "two descriptions": "property p(m):\n  'a'\n" + "  event a(m): f(m)\n  'b'\n  pattern: a\n",
    "keyword parameter": "property p(class):\n    event a(class): f(class)\n    pattern: a\n",
    "parallel first": _pattern("check || act act"),
    "parallel in": _pattern("!(check || act)"),
    "parallel group": _pattern("(check act) || act"),
    "parallel three": _pattern("check || act || act"),
    "parallel star": _pattern("(check || act)+"),
    "parallel and": _pattern("check & (check || act)"),
    "parallel nothing": _pattern("check act ||"),
    "region no begin": _pattern("check(t1) act(t1, >r1)"),
    "region no end": _pattern("check(t1, <r1) act(t1)"),
    "region typo": _pattern("check(t1, <reg1) act(t1, >regl)"),
    "region two": _pattern("(check(<r) | act(<r)) act(>r)"),
    "region twice": _pattern("check(<r, <r) act(>r)"),
    "empty word": _pattern("(check | act)*"),
    "empty parens": _pattern("check* | act | ()"),
    "two threads": _pattern("check(t1, t2) act"),
    "space": _pattern("check (t1, <r1) act"),
    "space thread": _pattern("check (t1) act"),
    "no attributes": _pattern("check() act"),
    "bad attribute": _pattern("check(t1 t2) act"),
    "quantifier first": _pattern("* check act"),
    "minus": _pattern("check - act"),
    "description name": "property p(map):\n    '{mpa} is {t1}'\n    event act(map): f(map)\n    pattern: act(t1)\n",
    "description brace": "property p(map):\n    '{map'\n    event act(map): f(map)\n    pattern: act(t1)\n",
    "bytes description": "property p(map):\n    b'map'\n    event act(map): f(map)\n    pattern: act(t1)\n",
    "deep": _pattern("(" * 150 + "check" + ")" * 150 + " act"),
    "deep not": _pattern("!" * 5000 + "check act"),
    "name minus": "property p-(m):\n    event act(m): f(m)\n    pattern: act\n",
    "tab": "property p(m):\n\tevent act(m):\tf(m, kee)\n\tpattern: act\n",
    "unicode": "property prüf(größe):\n    event fällig(größe): f(größe, 'ü', größ)\n    pattern: fällig\n",
    "null": "property p(m):\0\n",
    "on": "property p(m):\n    event act(m): f(m)\n    pattern: act\nproperty q",
    "raising": _event("raising call f(m) -> KeyEror"),
}


@pytest.mark.parametrize("name", _CASES)
def test_a_mistake_is_shown_in_its_place(name: str) -> None:
    with pytest.raises(MazurkaError) as raised:
        parsed(_CASES[name], "p.mzp")
    assert f"== {name}\n{_CASES[name].rstrip()}\n--\n{_shown(raised.value)}" in _expected()


def _shown(error: MazurkaError) -> str:
    lines = [line.rstrip() for line in str(error).splitlines()]
    return "\n".join([error.slug, *lines, ""])


def _expected() -> str:
    if _UPDATE:
        texts = []
        for name, text in _CASES.items():
            with pytest.raises(MazurkaError) as raised:
                parsed(text, "p.mzp")
            texts.append(f"== {name}\n{text.rstrip()}\n--\n{_shown(raised.value)}\n")
        _EXPECTED.write_text("".join(texts), encoding="utf-8")
    return _EXPECTED.read_text(encoding="utf-8")


def test_errors_survive_processes() -> None:
    with pytest.raises(MazurkaError) as raised:
        parsed(_CASES["unknown event"])
    error = pickle.loads(pickle.dumps(raised.value))
    assert str(error) == str(raised.value)
    assert error.where == "line 4, column 20"
    assert error.exit_status == 2


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MazurkaError, match="No such file") as raised:
        parsed_file(tmp_path / "none.mzp")
    assert raised.value.slug == "no-such-property"
    (tmp_path / "latin.mzp").write_bytes("# größe".encode("latin-1"))
    with pytest.raises(MazurkaError, match="not in UTF-8"):
        parsed_file(tmp_path / "latin.mzp")


def test_no_text_ends_in_another_way() -> None:
    """Whatever part of a text is there, and whatever sign is put into it."""
    text = _CASES["two properties"] + _CASES["condition lines"] + _CASES["region two"]
    for at in range(0, len(text), 7):
        for sign in ("", "(", '"', "|", "\n", "x", "{", "\\", "if", "\x00"):
            for changed in (text[:at] + sign, text[:at] + sign + text[at:]):
                try:
                    parsed(changed)
                except MazurkaError as error:
                    assert error.where or "no property" in error.what
