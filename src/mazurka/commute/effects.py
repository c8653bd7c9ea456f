"""The effects of calls of marked objects, by the models of the library's types, for runs in which such calls are single
steps.

Cost: a method's model is looked up once, the effect of a call computed once for each state (while it is remembered).
The library is imported when the first class is marked, since most programs have none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from mazurka.trace.literals import text_of, value_of
from mazurka.trace.logged_calls import WAITS, CallEffect, Waiting

if TYPE_CHECKING:
    from mazurka.commute.shared_type import Step


class LibraryModels:
    """Implements :class:`mazurka.program.settings.CallModels`."""

    def prepare(self, type_name: str) -> None:
        """Load a type's models before runs, in which loading them would be a step. The program itself names them, so
        files of models may be executed."""
        from mazurka.commute.named import is_known, shared_type, trust
        from mazurka.commute.shared_type import methods_of

        trust(type_name)
        if is_known(type_name):
            kind = shared_type(type_name)
            for method in methods_of(kind):
                _model_of(type_name, method)
            value_of(text_of(kind.initials[0]))

    def describes(self, type_name: str, method: str) -> bool:
        """Whether there is a model of a type's method."""
        return _model_of(type_name, method) is not None

    def effect(self, type_name: str, method: str, arguments: str, before: str) -> CallEffect | None:
        """See :func:`effect_of`."""
        return effect_of(type_name, method, arguments, before)

    def outcome(self, type_name: str, method: str, arguments: str, before: str) -> CallEffect | Waiting | None:
        """See :class:`mazurka.trace.logged_calls.CallSemantics`."""
        return outcome_of(type_name, method, arguments, before)


@cache
def _model_of(type_name: str, method: str) -> Callable[..., Step] | None:
    from mazurka.commute.named import is_known, shared_type
    from mazurka.commute.shared_type import methods_of

    if not is_known(type_name):
        return None
    found = methods_of(shared_type(type_name)).get(method)
    return None if found is None else found.step


def effect_of(type_name: str, method: str, arguments: str, before: str) -> CallEffect | None:
    """The effect of a call in a state, by its model; None if that has none, or the call would have to wait."""
    outcome = outcome_of(type_name, method, arguments, before)
    return outcome if isinstance(outcome, CallEffect) else None


@lru_cache(maxsize=4096)
def outcome_of(type_name: str, method: str, arguments: str, before: str) -> CallEffect | Waiting | None:
    """The effect of a call in a state, by its model; None if that has none."""
    from mazurka.commute.shared_type import BLOCKED

    model = _model_of(type_name, method)
    if model is None:
        return None
    try:
        given, state = value_of(arguments), value_of(before)
        if not isinstance(given, tuple):
            return None
        made = model(state, *given)
        return WAITS if made is BLOCKED else CallEffect(text_of(made[1]), text_of(made[0]))
    except Exception:  # a model may raise any exception for values for which it is not defined
        return None
