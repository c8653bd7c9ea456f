"""The properties of the figures (patent, FIG. 10, 11, 13, 16, 17, 19, 20) in the language, and the data that they are.

FIG. 16 shows a program that violates the property of FIG. 10. Java's types are Python's here.
"""

from __future__ import annotations

from mazurka.properties.parsing import parsed
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Moment,
    Named,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.trace.patterns import Complement, Concatenation, Letter, Parallel, Repetition

_CALL, _GET, _SET = PointcutKind.CALL, PointcutKind.GET, PointcutKind.SET
_C, _I, _O = Named("c"), Named("i"), Named("o")

_UNSAFE_ITERATOR = """
property unsafe-iterator(c, i):
    event create(c, i): returning call list.__iter__(c) -> i
    event update(c): after call list.remove(c, ...) | list.append(c, ...)
    event next(i): before call list_iterator.__next__(i)

    pattern: create next* update+ next
"""

_ATOMICITY_VIOLATION = """
property atomicity-violation(o):
    event begin(o): call shop.Counter.m(o)
    event read(o): get shop.Counter.s(o)
    event write(o): set shop.Counter.s(o)
    event end(o): after call shop.Counter.m(o)

    pattern: begin(t1, <r1) read(t1) write(t2) write(t1) end(t1, >r1)
"""

_DATA_RACE = """
property data-race(o):
    event read(o): get *.s(o)
    event write(o): set *.s(o)

    pattern: read(t1) || write(t2)
"""

_NONE_DEREFERENCE = """
property none-dereference(o):
    event dereference(o): get TableDescriptor.referenced_columns(o)
    event set_none(o): set TableDescriptor.referenced_columns(o) = None

    pattern: dereference(t1) || set_none(t2)
"""

_UNSAFE_DATABASE_ACCESS = """
property unsafe-database-access(connection, table):
    event open(connection): returning call sqlite3.connect(_) -> connection
    event close(connection): call sqlite3.Connection.close(connection)
    event create(connection, table): call *.create_table(connection, table)
    event delete(connection, table): call *.delete_table(connection, table)
    event update(table): call *.execute(_, table, sql) if table in sql

    pattern: !(open create update delete close)
"""

_CHECK_THEN_ACT = """
property check-then-act(m, key):
    event check(m, key): after call dict.get(m, key)
    event act(m, key): before call dict.pop(m, key, ...)

    pattern: check(t1) act(t2)+ act(t1)
"""


def _read(text: str) -> Property:
    (stated,) = parsed(text)
    assert parsed(str(stated)) == (stated,)
    return stated


def test_fig_10_unsafe_iterator() -> None:
    assert _read(_UNSAFE_ITERATOR) == Property(
        "unsafe-iterator",
        ("c", "i"),
        (
            EventDeclaration(
                "create", ("c", "i"), (Pointcut(_CALL, ("list.__iter__",), Moment.RETURNING, (_C,), result=_I),)
            ),
            EventDeclaration(
                "update",
                ("c",),
                tuple(
                    Pointcut(_CALL, (name,), Moment.AFTER, (_C, Anything(more=True)))
                    for name in ("list.remove", "list.append")
                ),
            ),
            EventDeclaration("next", ("i",), (Pointcut(_CALL, ("list_iterator.__next__",), operands=(_I,)),)),
        ),
        Concatenation(
            (
                Letter("create"),
                Repetition(Letter("next"), 0, True),
                Repetition(Letter("update"), 1, True),
                Letter("next"),
            )
        ),
    )


def test_fig_11_atomicity_violation() -> None:
    access = (_O,)
    assert _read(_ATOMICITY_VIOLATION) == Property(
        "atomicity-violation",
        ("o",),
        (
            EventDeclaration("begin", ("o",), (Pointcut(_CALL, ("shop.Counter.m",), operands=access),)),
            EventDeclaration("read", ("o",), (Pointcut(_GET, ("shop.Counter.s",), operands=access),)),
            EventDeclaration("write", ("o",), (Pointcut(_SET, ("shop.Counter.s",), operands=access),)),
            EventDeclaration("end", ("o",), (Pointcut(_CALL, ("shop.Counter.m",), Moment.AFTER, access),)),
        ),
        Concatenation(
            (
                Letter("begin", "t1", begins=("r1",)),
                Letter("read", "t1"),
                Letter("write", "t2"),
                Letter("write", "t1"),
                Letter("end", "t1", ends=("r1",)),
            )
        ),
    )


def test_fig_13_data_race() -> None:
    assert _read(_DATA_RACE) == Property(
        "data-race",
        ("o",),
        (
            EventDeclaration("read", ("o",), (Pointcut(_GET, ("*.s",), operands=(_O,)),)),
            EventDeclaration("write", ("o",), (Pointcut(_SET, ("*.s",), operands=(_O,)),)),
        ),
        Parallel(Letter("read", "t1"), Letter("write", "t2")),
    )


def test_fig_17_none_dereference() -> None:
    name = ("TableDescriptor.referenced_columns",)
    assert _read(_NONE_DEREFERENCE) == Property(
        "none-dereference",
        ("o",),
        (
            EventDeclaration("dereference", ("o",), (Pointcut(_GET, name, operands=(_O,)),)),
            EventDeclaration("set_none", ("o",), (Pointcut(_SET, name, operands=(_O, Equal(None))),)),
        ),
        Parallel(Letter("dereference", "t1"), Letter("set_none", "t2")),
    )


def test_fig_19_unsafe_database_access() -> None:
    """The condition is over operands of its own operation, so the statement's table is one of them here."""
    connection, table = Named("connection"), Named("table")
    update = Pointcut(_CALL, ("*.execute",), operands=(Anything(), table, Named("sql")), condition="table in sql")
    order = ("open", "create", "update", "delete", "close")
    assert _read(_UNSAFE_DATABASE_ACCESS) == Property(
        "unsafe-database-access",
        ("connection", "table"),
        (
            EventDeclaration(
                "open",
                ("connection",),
                (Pointcut(_CALL, ("sqlite3.connect",), Moment.RETURNING, (Anything(),), result=connection),),
            ),
            EventDeclaration(
                "close", ("connection",), (Pointcut(_CALL, ("sqlite3.Connection.close",), operands=(connection,)),)
            ),
            *(
                EventDeclaration(
                    name,
                    ("connection", "table"),
                    (Pointcut(_CALL, (f"*.{name}_table",), operands=(connection, table)),),
                )
                for name in ("create", "delete")
            ),
            EventDeclaration("update", ("table",), (update,)),
        ),
        Complement(Concatenation(tuple(map(Letter, order)))),
    )


def test_fig_20_check_then_act() -> None:
    operands = (Named("m"), Named("key"))
    assert _read(_CHECK_THEN_ACT) == Property(
        "check-then-act",
        ("m", "key"),
        (
            EventDeclaration("check", ("m", "key"), (Pointcut(_CALL, ("dict.get",), Moment.AFTER, operands),)),
            EventDeclaration(
                "act", ("m", "key"), (Pointcut(_CALL, ("dict.pop",), operands=(*operands, Anything(more=True))),)
            ),
        ),
        Concatenation((Letter("check", "t1"), Repetition(Letter("act", "t2"), 1, True), Letter("act", "t1"))),
    )
