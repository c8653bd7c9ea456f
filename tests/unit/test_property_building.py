"""Properties stated in Python: the same data as from texts, and the same errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mazurka.errors import MazurkaError
from mazurka.properties.building import (
    anything,
    call,
    delete,
    delete_item,
    empty,
    enter,
    event,
    exit_,
    get,
    get_item,
    of_type,
    parallel,
    parameter,
    parameters,
    set_,
    set_item,
    state,
)
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Property

_M, _KEY = parameters("m, key")


def test_the_example_of_the_module() -> None:
    check = event("check", _M, _KEY).when(
        call("dict.__contains__", _M, _KEY).returning(True),
        call("dict.get", _M, _KEY, ...).returning(),
    )
    act = event("act", _M, _KEY).when(call("dict.pop", _M, _KEY, ...), call("dict.__delitem__", _M, _KEY))
    stated = state(
        "check-then-act",
        check("t1") >> act("t2")[1:] >> act("t1"),
        "{t1} acts on a key of {m} that it has checked, but {t2} has changed it in between.",
    )
    text = """
property check-then-act(m, key):
    "{t1} acts on a key of {m} that it has checked, "
    "but {t2} has changed it in between."

    event check(m, key): returning call dict.__contains__(m, key) -> True
                       | returning call dict.get(m, key, ...)
    event act(m, key): before call dict.pop(m, key, ...) | dict.__delitem__(m, key)

    pattern: check(t1) act(t2)+ act(t1)
"""
    assert parsed(text) == (stated,)
    assert parsed(str(stated)) == (stated,)
    assert stated.stated.events == {"check": ("m", "key"), "act": ("m", "key")}
    assert stated.stated.before == {"act"}


def test_every_pointcut_has_a_text() -> None:
    o, v = parameters(["o", "v"])
    used = event("used", o).when(
        call("f", o),
        call("*.g", o, anything, None, -1, 'it\'s "x" \\', b"\0", 1e999, x=3, y=of_type("json.JSONDecoder")).after(),
        call("{a, b}.{c,d}", o).returning(of_type(dict)),
        call("h", o).raising(KeyError),
        call("h", o).raising(parameter("v")).if_("isinstance(v, KeyError)"),
        call("h").returning(o),
        call("c:malloc", anything).returning(o),
        get("shop.Account.balance", o).returning(100),
        set_("shop.Account.balance", o, v).if_("v  is None or (v<0)"),
        set_("*.*", o, v, "balance").if_("v != 0"),
        get("*.*", o, "balance"),
        delete("shop.Account.balance", o).before(),
        get("c:account.balance", o),
        enter("Pool", o),
        exit_("Pool", o),
        exit_("Pool", o, None, ...),
        get_item("dict", o, "key"),
        set_item("dict", o, "key"),
        set_item("dict", o, "key", None),
        delete_item("dict", o, "key"),
    )
    text = """
property p(o):
    event used(o): f(o)
        | after call *.g(o, _, None, -1, 'it\\'s "x" \\\\', b'\\0', 1e999, x=3, y=is json.JSONDecoder)
        | returning call {a.c, a.d, b.c, b.d}(o) -> is dict
        | raising call h(o) -> KeyError
        | raising call h(o) -> v if isinstance(v, KeyError)
        | returning call h -> o
        | returning call c:malloc(_) -> o
        | returning get shop.Account.balance(o) -> 100
        | set shop.Account.balance(o) = v if v is None or v < 0
        | set *.*(o, 'balance') = v if v != 0
        | get *.*(o, 'balance')
        | before delete shop.Account.balance(o)
        | get c:account.balance(o)
        | enter Pool(o) | exit Pool(o) | exit Pool(o, None, ...)
        | get dict(o)["key"] | set dict(o)['key'] | set dict(o)['key'] = None | delete dict(o)['key']
    pattern: used
"""
    stated = state("p", used())
    assert parsed(text) == (stated,)
    assert parsed(str(stated)) == (stated,)


def test_calls_without_operands() -> None:
    stated = state("p", event("e").when(call("f").without_operands(), call("f"))())
    assert parsed(str(stated)) == (stated,) == parsed("property p:\n    event e: f() | f\n    pattern: e")


def test_every_operator_has_a_text() -> None:
    a, b, c = (event(name).when(call(name)) for name in "abc")
    pattern = ~(a("t1", begins="r1") >> (b()[0:] | empty())) & (a()[1:] >> c()[0:1] | ~~b()) | c(
        "t1", ends="r1"
    ) >> parallel(a("t1"), b(ends=(), begins=("r1",)))
    with pytest.raises(MazurkaError, match="begins with two events"):
        state("p", pattern)
    pattern = ~(a("t1", begins="r1") >> (b()[0:] | empty())) & (a()[1:] >> c()[0:1] | ~~b()) | c(
        "t1", ends="r1"
    ) >> parallel(a("t1"), b())
    stated = state("p", pattern)
    assert str(stated.pattern) == "!(a(t1, <r1) (b* | ())) & (a+ c? | !!b) | c(t1, >r1) (a(t1) || b)"
    assert parsed(str(stated)) == (stated,)


def test_parameters_in_another_order() -> None:
    stated = state("p", event("e", _M, _KEY).when(call("f", _M, _KEY))(), parameters=(_KEY, _M))
    assert stated.parameters == ("key", "m")


def _declared(pattern: str) -> Callable[[], Property]:
    a, b = (event(name, _M).when(call(name, _M)) for name in "ab")
    return lambda: state("p", eval(pattern, {"a": a, "b": b, "parallel": parallel}))


_MISTAKES = {
    "dict..pop": lambda: call("dict..pop", _M),
    "is no constant": lambda: state("p", event("a", _M).when(call("f", _M, [1]))()),
    "no constant": lambda: state("p", event("a", _M).when(call("f", _M, float("nan")))()),
    "does not bind key": lambda: state("p", event("a", _M, _KEY).when(call("f", _M))()),
    "no pointcut": lambda: state("p", event("a", _M)()),
    "no parameter key": lambda: state("p", event("a", _M).when(call("f", _M, _KEY))()),
    "two events a": lambda: state("p", event("a").when(call("f"))() >> event("a").when(call("g"))()),
    "no name of a property": lambda: state("p p", event("a").when(call("f"))()),
    "no name of an event": lambda: state("p", event("a b").when(call("f"))()),
    "no name of a thread": lambda: state("p", event("a").when(call("f"))("t 1")),
    "no name of a parameter": lambda: state("p", event("a", parameter("m n")).when(call("f", parameter("m n")))()),
    "no result before call": lambda: state("p", event("a").when(call("f").returning(None).before())()),
    "not allowed in a condition": lambda: state("p", event("a", _M).when(call("f", _M).if_("m.x"))()),
    "put it last": lambda: state("p", event("a", _M).when(call("f", ..., _M))()),
    "not for one argument": lambda: state("p", event("a").when(call("f", 1, x=...))()),
    "set has at most 3 operands": lambda: state("p", event("a", _M).when(set_("A.b", _M, 1, "b", 2))()),
    "[0:1]": _declared("a()[2:]"),
    "between two events": _declared("parallel(a() >> b(), b())"),
    "only come last": _declared("parallel(a(), b()) >> b()"),
    "empty word": _declared("(a() | b())[0:]"),
    "does not begin": _declared("a() >> b(ends='r')"),
    "the description names {n}": lambda: state("p", event("a", _M).when(call("f", _M))(), "{n}"),
}


@pytest.mark.parametrize("message", _MISTAKES)
def test_mistakes(message: str) -> None:
    with pytest.raises(MazurkaError) as raised:
        _MISTAKES[message]()
    assert message in str(raised.value)
    assert raised.value.slug in ("property-name", "property-pattern", "property-pointcut")


def test_a_condition_on_a_parameter_of_another_event() -> None:
    table, sql = parameters("table sql")
    create = event("create", table).when(call("db.create", table))
    update = event("update", table).when(call("db.execute", sql).if_("table in sql"))
    stated = state("created", update("t1") >> create("t2"))
    assert parsed(str(stated)) == (stated,)
    assert stated.stated.free == {("update", "table")}
