"""Patterns as automata: deterministic, made of derivatives of the pattern as they are needed.

The automaton reads *symbols*: the set of letters by which a pattern names an event (an event that both ``act`` and
``act(t1)`` name is one symbol with two letters). A state is a pattern: that of the words that may follow (Brzozowski,
"Derivatives of regular expressions", 1964, where complement and intersection come at no cost). Patterns are kept in a
normal form in which ``|`` and ``&`` are sets, so there are finitely many states.

This is exact, where the patent drops ``*`` and ``+`` and disallows ``!`` beside them ("Property Encoding").

Cost: patterns of a few letters have a few states; each is made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mazurka.trace.patterns import (
    Alternation,
    Complement,
    Concatenation,
    Intersection,
    Letter,
    Parallel,
    Pattern,
    Repetition,
)

#: The letters by which a pattern names an event.
Symbol = frozenset[Letter]

#: The number of a state.
State = int

#: A pattern in normal form: a tuple whose first item is one of the operators below.
_Form = tuple[Any, ...]

_NOTHING: Final[_Form] = ("nothing",)
_EMPTY: Final[_Form] = ("empty",)
_ANYTHING: Final[_Form] = ("complement", _NOTHING)


class Automaton:
    """See the module. ``alphabet`` has the symbols that occur: they decide which states are live."""

    def __init__(self, pattern: Pattern, alphabet: Iterable[Symbol]) -> None:
        self._numbers: dict[_Form, State] = {}
        self._forms: list[_Form] = []  # by state
        self._next: list[dict[Symbol, State]] = []  # by state
        self._accepts: list[bool] = []  # by state
        self._live: dict[State, bool] = {}
        self.start = self._number(_normal(pattern))
        self.alphabet: Sequence[Symbol] = sorted(set(alphabet), key=lambda symbol: sorted(map(str, symbol)))

    def _number(self, form: _Form) -> State:
        """The state of a pattern, made now if there is none."""
        number = self._numbers.setdefault(form, len(self._forms))
        if number == len(self._forms):
            self._forms.append(form)
            self._next.append({})
            self._accepts.append(_is_nullable(form))
        return number

    def after(self, state: State, symbol: Symbol) -> State:
        """The state after a symbol."""
        known = self._next[state].get(symbol)
        if known is None:
            known = self._next[state][symbol] = self._number(_derivative(self._forms[state], symbol))
        return known

    def accepts(self, state: State) -> bool:
        """Whether a word that leads there is in the language."""
        return self._accepts[state]

    def is_live(self, state: State) -> bool:
        """Whether a word that leads there can be extended to one of the language, or is one."""
        if state not in self._live:
            self._find_live(state)
        return self._live[state]

    def _find_live(self, state: State) -> None:
        """Decide this for all states that a state leads to."""
        before: dict[State, set[State]] = {state: set()}
        stack = [state]
        while stack:
            one = stack.pop()
            for symbol in self.alphabet:
                other = self.after(one, symbol)
                if other not in before:
                    before[other] = set()
                    stack.append(other)
                before[other].add(one)
        reached = [each for each in before if self.accepts(each)]
        live = set(reached)
        while reached:
            for one in before[reached.pop()] - live:
                live.add(one)
                reached.append(one)
        self._live |= {each: each in live for each in before}

    def words(self, available: Mapping[Symbol, int], refused: bool = False) -> Iterator[tuple[Symbol, ...]]:
        """Words of the language from which no state's visits can be cut out, except the first symbol and the last,
        shortest first: every word of the language has such a word as a subsequence, with the same first and last
        symbol. ``refused``: instead the words none of whose extensions is in the language, but all of whose proper
        prefixes have one, with cuts anywhere before the last symbol. ``available`` says how often a symbol may be
        used."""
        paths: list[tuple[tuple[Symbol, ...], State, frozenset[State]]] = [
            ((), self.start, frozenset({self.start} if refused else ()))
        ]
        while paths:
            longer = []
            for word, state, seen in paths:
                for symbol, number in available.items():
                    if word.count(symbol) == number:
                        continue
                    then = self.after(state, symbol)
                    live = self.is_live(then)
                    if not live if refused else self.accepts(then):
                        yield (*word, symbol)
                    if live and then not in seen:
                        longer.append(((*word, symbol), then, seen | {then}))
            paths = longer


# -- normal forms -----------------------------------------------------------------------------------------------------


def _normal(pattern: Pattern) -> _Form:
    match pattern:
        case Letter():
            return ("letter", pattern)
        case Concatenation(parts):
            state = _EMPTY
            for part in reversed(parts):
                state = _followed(_normal(part), state)
            return state
        case Alternation(parts):
            return _either(map(_normal, parts))
        case Intersection(parts):
            return _complement(_either(_complement(_normal(part)) for part in parts))
        case Complement(part):
            return _complement(_normal(part))
        case Repetition(part, least, often):
            once = _normal(part)
            many = ("star", once) if often else _either([once, _EMPTY])
            return _followed(once, many) if least and often else once if least else many
        case Parallel():
            raise ValueError(f"{pattern} is no word of events")


def _followed(first: _Form, second: _Form) -> _Form:
    if first == _NOTHING or second == _NOTHING:
        return _NOTHING
    if first == _EMPTY:
        return second
    if second == _EMPTY:
        return first
    if first[0] == "then":
        return ("then", first[1], _followed(first[2], second))
    return ("then", first, second)


def _either(states: Iterable[_Form]) -> _Form:
    parts: set[_Form] = set()
    for state in states:
        parts |= state[1] if state[0] == "either" else {state}
    parts.discard(_NOTHING)
    if _ANYTHING in parts:
        return _ANYTHING
    if len(parts) < 2:
        return next(iter(parts), _NOTHING)
    return ("either", frozenset(parts))


def _complement(state: _Form) -> _Form:
    return state[1] if state[0] == "complement" else ("complement", state)


def _is_nullable(state: _Form) -> bool:
    match state[0]:
        case "empty" | "star":
            return True
        case "then":
            return _is_nullable(state[1]) and _is_nullable(state[2])
        case "either":
            return any(map(_is_nullable, state[1]))
        case "complement":
            return not _is_nullable(state[1])
        case _:
            return False


def _derivative(state: _Form, symbol: Symbol) -> _Form:
    match state[0]:
        case "letter":
            return _EMPTY if state[1] in symbol else _NOTHING
        case "then":
            first, second = state[1], state[2]
            after = _followed(_derivative(first, symbol), second)
            return _either([after, _derivative(second, symbol)]) if _is_nullable(first) else after
        case "either":
            return _either(_derivative(each, symbol) for each in state[1])
        case "star":
            return _followed(_derivative(state[1], symbol), state)
        case "complement":
            return _complement(_derivative(state[1], symbol))
        case _:
            return _NOTHING
