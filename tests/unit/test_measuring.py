"""Properties that nothing violates: which events never happened, and how far executions got with the pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.stated_properties import checked

from mazurka.properties.measuring import doubt, separating, summaries
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Property
from mazurka.properties.reached import Next, Reached, all_joined, as_data, from_data
from mazurka.properties.registry import find, own


def _property(text: str) -> Property:
    (stated,) = parsed(text)
    return stated


_STALE: Final = """
property stale(account):
    event begin(account): call shop.Account.pay(account, ...)
    event read(account): get shop.Account.balance(account)
    event write(account): set shop.Account.balance(account)
    event end(account): after call shop.Account.pay(account, ...)

    pattern: {pattern}
"""

_ACCOUNT: Final = """
    import threading

    lock = threading.Lock()

    class Account:
        def __init__(self):
            self.balance = 0

        def pay(self, amount):
            with lock:
                old = self.balance
                self.balance = old + amount
            {then}

    account = Account()
    threads = [threading.Thread(target=account.pay, args=(each,)) for each in (1, 2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def _doubt(stated: Property, then: str, folder: Path) -> tuple[str, str]:
    found = checked(_ACCOUNT.format(then=then), folder, stated)
    assert found.kinds == []
    reached = found.reached.get(stated.name, Reached())
    return doubt(stated, reached, lambda site: "somewhere"), "; ".join(summaries([stated], found.reached))


def test_a_pattern_that_the_own_events_of_a_thread_never_match(tmp_path: Path) -> None:
    stated = _property(_STALE.format(pattern="begin(t1, <r) read(t1) write(t2) write(t1) end(t1, >r)"))
    why, summary = _doubt(stated, "return self.balance", tmp_path)
    assert "wants events of t1 one after the other, and read(t1) at somewhere is always in between" in why
    assert "happened in a row, and then" in summary


def test_the_same_with_that_event_in_the_pattern(tmp_path: Path) -> None:
    stated = _property(_STALE.format(pattern="begin(t1, <r) read(t1) write(t2) write(t1) read(t1)* end(t1, >r)"))
    assert _doubt(stated, "return self.balance", tmp_path)[0] == ""


def test_a_property_that_the_program_keeps(tmp_path: Path) -> None:
    stated = _property(_STALE.format(pattern="begin(t1, <r) read(t1) write(t2) write(t1) end(t1, >r)"))
    why, summary = _doubt(stated, "pass", tmp_path)
    assert why == ""
    assert summary.startswith("stale: of its pattern at most begin(t1) read(t1)")


def test_an_event_that_never_happens(tmp_path: Path) -> None:
    text = "property p(a):\n    event pay(a): call shop.Account.{name}(a, ...)\n"
    text += "    event get(a): get shop.Account.balance(a)\n"
    stated = _property(text.format(name="{pay, draw}") + "    pattern: get(t1) pay(t2) get(t1)\n")
    assert _doubt(stated, "pass", tmp_path)[0] == ""
    stated = _property(text.format(name="draw") + "    pattern: get(t1) pay(t2) get(t1)\n")
    why, summary = _doubt(stated, "pass", tmp_path)
    assert why == "the event pay of p never happened; is its pointcut as it should be?"
    assert summary.startswith("p: the event pay never happened")
    stated = _property(text.format(name="draw") + "    pattern: pay? get(t1) get(t2) get(t1) get(t2)\n")
    assert _doubt(stated, "pass", tmp_path)[0] == ""


@pytest.mark.parametrize(
    ("pattern", "apart"),
    [
        ("open? close close", {"open"}),
        ("give? take(t1) take(t2)", {"give"}),
        ("check(t1) act(t2)+ act(t1)", set()),
        ("(open | lock)? close close", {"open", "lock"}),
        ("read(t1) || write(t2) | write(t1) || write(t2)", set()),
        ("!(open read* close)", set()),
    ],
)
def test_events_that_only_keep_others_apart(pattern: str, apart: set[str]) -> None:
    events = "".join(
        f"    event {name}(x): call prog.{name}(x)\n"
        for name in ("open", "close", "give", "take", "check", "act", "lock", "read", "write")
        if name in pattern
    )
    assert separating(_property(f"property p(x):\n{events}    pattern: {pattern}\n").pattern) == apart


def test_a_lock_order_that_is_kept_is_no_doubt() -> None:
    """Its second thread never takes the locks in the other order: not even with others in between."""
    (stated,) = find("lock-order")
    events = frozenset(each.name for each in stated.events)
    assert doubt(stated, Reached(events), lambda site: "") == ""


def test_what_searches_add_up() -> None:
    one = Reached(frozenset({"a"}), ("a", "b"), Next("c", 3), frozenset({"t1"}), (("t2", Next("d", 4)),))
    other = Reached(frozenset({"b"}), ("a",), None, frozenset({"t2"}), (("t1", Next("e", 5)),))
    both = one.joined(other)
    assert both == Reached(frozenset({"a", "b"}), ("a", "b"), Next("c", 3), frozenset({"t1", "t2"}), ())
    assert all_joined({"p": one}, {"p": other, "q": one}) == {"p": both, "q": one}
    assert from_data(as_data(one)) == one


def test_a_changed_copy_of_a_ready_property_is_the_users_own() -> None:
    (ready,) = find("callback-after-unsubscribe")
    copy = _property(str(ready))
    changed = _property(str(ready).replace("*.", "shop."))
    assert own([copy]) == []
    assert own([changed]) == [changed]
