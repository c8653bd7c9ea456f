"""Classes that each run makes anew: knowledge about one holds for a later one only if they agree in all that
decides."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest
from tests.in_progress import in_progress

from mazurka.program.protocol import Plan
from mazurka.program.python.instrument import instrument
from mazurka.program.python.semantics import hooks, recurring_classes
from mazurka.program.python.semantics.shapes import forget_shapes, templates
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned

_LEARNED = Learned()


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    _LEARNED.points.clear()
    hooks.install()
    yield
    hooks.uninstall()


def compiled(source: str) -> CodeType:
    return instrument.instrument_source(textwrap.dedent(source), "/recurring.py")


def steps(code: CodeType, **given: Any) -> list[tuple[Any, ...]]:
    """The steps of one run, in which one thread executes the whole module."""
    running = Runtime(Plan(), _LEARNED)
    space: dict[str, Any] = {"__name__": "recurring", **given}
    failed: list[BaseException] = []

    def body() -> None:
        try:
            exec(code, space)
        except Exception as error:
            failed.append(error)

    hooks.restart(running)
    with in_progress(running):
        running.run(lambda: running.join(running.fork(body, daemon=False)))
        hooks.finish(running)
    assert not failed, failed
    return [(entry[1], entry[2], entry[6]) for entry in running.log] + sorted(running.untracked.items())


_USE = """
box = Box()
box.value
box.value = 1
box.other
with_method = getattr(box, "look", None)
"""

_FIRST = """
class Box:
    def __init__(self):
        self.value = 0
        self.other = 1
"""


def test_a_class_that_a_run_makes_again_has_the_same_steps() -> None:
    code = compiled(_FIRST + _USE)
    steps(code)
    known = steps(code)
    assert templates
    assert steps(code) == known
    forget_shapes()
    assert steps(code) == known


def test_a_class_made_again_is_not_classified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compiled(_FIRST + _USE)
    steps(code)
    steps(code)
    recalled: list[bool] = []
    recall = recurring_classes.recall
    monkeypatch.setattr(recurring_classes, "recall", lambda *given: recalled.append(recall(*given)) or recalled[-1])
    steps(code)
    assert True in recalled


@pytest.mark.parametrize(
    "other",
    [
        """
class Box:
    value = 5
    def __init__(self):
        self.other = 1
""",
        """
class Box:
    def __init__(self):
        self.other = 1
    @property
    def value(self):
        return self.other
    @value.setter
    def value(self, new):
        self.other = new
""",
        """
class Box:
    __slots__ = ("value", "other")
    def __init__(self):
        self.value = 0
        self.other = 1
""",
        """
class Box(Exception):
    def __init__(self):
        self.value = 0
        self.other = 1
""",
        """
class Base:
    value = 3
class Box(Base):
    def __init__(self):
        self.other = 1
""",
        """
class Meta(type):
    pass
class Box(metaclass=Meta):
    def __init__(self):
        self.value = 0
        self.other = 1
""",
        """
from itertools import count
class Box:
    value = count()
    def __init__(self):
        self.other = 1
""",
    ],
)
def test_another_class_of_the_same_name_is_looked_at_itself(other: str) -> None:
    code = compiled(_FIRST + _USE)
    steps(code)
    steps(code)
    different = compiled(other + _USE)
    after = steps(different)
    again = steps(different)
    forget_shapes()
    assert after == again == steps(different)


def test_one_code_that_gives_different_classes_is_looked_at_for_each() -> None:
    code = compiled(
        """
        class Box:
            if special:
                value = property(lambda self: self.other, lambda self, new: None)
            def __init__(self):
                self.other = 1
                self.value = 0
        box = Box()
        box.value
        box.value = 1
        """
    )
    plain = steps(code, special=False)
    special = steps(code, special=True)
    assert plain != special
    assert steps(code, special=False) == plain
    assert steps(code, special=True) == special


def test_a_base_that_a_run_made_is_never_taken_for_one_that_lasts() -> None:
    code = compiled(
        """
        Base = type("Base", (), {"value": 1} if special else {})
        class Box(Base):
            def __init__(self):
                self.other = 1
        box = Box()
        box.other
        getattr(box, "value", 0)
        box.value = 1
        box.value
        """
    )
    plain = steps(code, special=False)
    special = steps(code, special=True)
    assert steps(code, special=False) == plain
    assert steps(code, special=True) == special


def test_a_class_that_its_run_has_changed_leaves_nothing_behind() -> None:
    code = compiled(
        """
        class Box:
            def __init__(self):
                self.value = 0
        box = Box()
        box.value
        if special:
            Box.value = property(lambda self: 1, lambda self, new: None)
        box.value
        """
    )
    steps(code, special=False)
    steps(code, special=True)
    after = steps(code, special=False)
    assert steps(code, special=False) == after
    forget_shapes()
    assert steps(code, special=False) == after


def test_a_template_holds_no_class_that_a_run_made() -> None:
    code = compiled(_FIRST + _USE)
    steps(code)
    steps(code)
    held = [each for template in templates.values() for each in template.held]
    assert held
    assert not [each for each in held if isinstance(each, type) and each.__name__ == "Box"]
    assert not [how for template in templates.values() for how in template.attributes.values() if isinstance(how, type)]
