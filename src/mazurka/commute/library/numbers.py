"""Counters and registers: numbers that threads share."""

from __future__ import annotations

from typing import Any

from mazurka.commute.shared_type import SharedType, Step


class CountType(SharedType):
    """``itertools.count``: each call gives another number."""

    name = "itertools.count"
    initials = (0,)
    scope = {}

    def bounded(self, s: int) -> bool:
        return s <= 3

    def next(self, s: int) -> Step:
        return s + 1, s

    fine = """
        next || next : False
    """


class NumberType(SharedType):
    """A counter: numbers can be added to it without reading it."""

    name = "counter"
    initials = (0,)
    scope = {"n": (-3, -2, -1, 0, 1, 2, 3)}

    def bounded(self, s: int) -> bool:
        return abs(s) <= 2

    def inc(self, s: int) -> Step:
        return s + 1, None

    def dec(self, s: int) -> Step:
        return s - 1, None

    def add(self, s: int, n: int) -> Step:
        return s + n, None

    def fetch_add(self, s: int, n: int) -> Step:
        return s + n, s

    def read(self, s: int) -> Step:
        return s, s

    def reset(self, s: int) -> Step:
        return 0, None

    def is_zero(self, s: int) -> Step:
        return s, s == 0

    fine = """
        inc || inc, dec, add          : True
        dec || dec, add               : True
        add || add                    : True
        read || read, is_zero         : True
        reset || reset                : True
        is_zero || is_zero            : True
        inc || is_zero                : s != 0 and s != -1
        dec || is_zero                : s != 0 and s != 1
        add || fetch_add, read, reset : n1 == 0
        fetch_add || read             : n1 == 0
        add, fetch_add || is_zero     : (s == 0) == (s + n1 == 0)
        fetch_add || fetch_add        : n1 == 0 and n2 == 0
        fetch_add || reset            : s == 0 and n1 == 0
        read || reset                 : s == 0
        reset || is_zero              : s == 0
    """

    coarse = """
        inc || inc, dec, add                   : True
        dec || dec, add                        : True
        add || add                             : True
        read || read, is_zero                  : True
        reset || reset                         : True
        is_zero || is_zero                     : True
        add || fetch_add, read, reset, is_zero : n1 == 0
        fetch_add || read, is_zero             : n1 == 0
        fetch_add || fetch_add                 : n1 == 0 and n2 == 0
    """


class RegisterType(SharedType):
    """A register that holds a value. ``cas`` writes ``w`` if the value is ``v``, and returns whether it was."""

    name = "register"
    initials = (0,)
    scope = {"v": (0, 1, 2), "w": (0, 1, 2)}

    def read(self, s: Any) -> Step:
        return s, s

    def write(self, s: Any, v: Any) -> Step:
        return v, None

    def swap(self, s: Any, v: Any) -> Step:
        return v, s

    def cas(self, s: Any, v: Any, w: Any) -> Step:
        return (w, True) if s == v else (s, False)

    fine = """
        read || read        : True
        read || write, swap : s == v2
        read || cas         : v2 == w2 or s != v2
        write || write      : v1 == v2
        write, swap || swap : v1 == v2 and s == v1
        write, swap || cas  : v1 != v2 and s != v2 or v1 == w2 and s == v1
        cas || cas :
            s != v1 and s != v2 or s == v1 and s != v2 and w1 != v2 or s == v2 and s != v1 and w2 != v1
            or s == v1 and s == v2 and w1 == s and w2 == s
    """

    coarse = """
        read || read : True
        read || swap : v2 == r2
        read || cas  : v2 == w2 or not r2
        swap || swap : v1 == r1 and v2 == r2
        swap || cas  : v1 == r1 and v2 == w2
        cas || cas   : not r1 and not r2 or v1 == w1 and v2 == w2
    """


class MaxRegisterType(SharedType):
    """A register that keeps the largest value written."""

    name = "max_register"
    initials = (0,)
    scope = {"v": (0, 1, 2)}

    def write(self, s: int, v: int) -> Step:
        return max(s, v), None

    def read(self, s: int) -> Step:
        return s, s

    fine = """
        write || write : True
        read || read   : True
        write || read  : v1 <= s
    """

    coarse = """
        write || write : True
        read || read   : True
        write || read  : v1 < r2
    """
