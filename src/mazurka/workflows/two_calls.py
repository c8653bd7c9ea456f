"""A client of a marked class, as a script: the main thread makes calls, then two threads make one call each,
concurrently.

It prints the results of the two, whether each began after the other had ended, and the final state. The script reads
the calls from :data:`asked`, so that one program serves for all clients.
"""

from __future__ import annotations

import json
import types
from collections.abc import Sequence
from typing import Any, Final

from mazurka import marked_methods
from mazurka.lazy_dataclass import dataclass
from mazurka.marked_methods import MarkedClass
from mazurka.trace.literals import Raised, Value, plain, text_of

#: A method and its arguments.
ClientCall = tuple[str, tuple[Value, ...]]

#: The script; ``{module}`` is that of the marked classes.
SCRIPT: Final = """
import threading

import {module} as subject

from mazurka.workflows.two_calls import asked, described, outcome


def attempt(results, ended, place, thing, method, arguments):
    after = ended[1 - place]
    try:
        found = True, getattr(thing, method)(*arguments)
    except Exception as error:
        found = False, type(error).__name__
    ended[place] = True
    results[place] = (*found, after)


def client(marked, before, both):
    thing = getattr(subject, marked.class_name)()
    for call in before:
        attempt([None, None], [False, False], 0, thing, *call)
    results, ended = [None, None], [False, False]
    threads = [
        threading.Thread(target=attempt, args=(results, ended, place, thing, *call)) for place, call in enumerate(both)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(outcome(results, marked.state(thing)))


if asked.client is None:
    print(described(subject))
else:
    client(*asked.client)
"""


@dataclass(slots=True)
class AskedClient:
    """The client that the script executes; None: it describes the marked classes."""

    client: tuple[MarkedClass, Sequence[ClientCall], Sequence[ClientCall]] | None = None


#: The client for the script, which runs in this process or a child of it.
asked: Final = AskedClient()


def described(subject: types.ModuleType) -> str:
    """The marked classes of a module: full names, with the initial states of their objects (None: there is none)."""
    found = {}
    for name, (marked, _) in marked_methods.known.items():
        if name == f"{subject.__name__}.{marked.class_name}":
            found[name] = _first_state(getattr(subject, marked.class_name), marked)
    return json.dumps(found)


def _first_state(kind: Any, marked: MarkedClass) -> str | None:
    if marked.state is None:
        return None
    try:
        return _text(marked.state(kind()))
    except Exception:  # the class's own code may raise any
        return None


def outcome(results: Sequence[tuple[bool, Any, bool]], state: Any) -> str:
    """The threads' results and the state in the end, as texts of values, and whether each call came after the other."""
    texts = [_text(value if returned else Raised(value)) for returned, value, _ in results]
    return json.dumps([texts, [after for *_, after in results], _text(state)])


def _text(thing: Any) -> str:
    return text_of(plain(thing, lambda each: type(each).__name__))
