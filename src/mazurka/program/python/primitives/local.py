"""Model of ``threading.local``: one namespace per thread of the program.

Source: ``Modules/_threadmodule.c`` and the docstring of ``Lib/_threading_local.py``. The namespace of the running
thread is put in place as the object's ``__dict__`` at each access. Inside a run the main thread starts with a
copy of its content outside. The namespaces are not shared, so accesses to them are no events; changes are counted (see
spin.py).
"""

from __future__ import annotations

import _thread
import weakref
from typing import Any, Final, NoReturn

from mazurka.program.python.primitives.identifiers import ask_own
from mazurka.program.python.primitives.run import Models, here

real_local: Final[type] = _thread._local
_get: Final = object.__getattribute__
_set: Final = object.__setattr__


class Namespaces:
    """The namespaces of one ``local`` object."""

    __slots__ = ("__weakref__", "arguments", "models", "of_task", "outside", "owner")

    def __init__(self, owner: local, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        self.owner = weakref.ref(owner)
        self.arguments = arguments
        self.models: Models | None = None
        self.of_task: dict[int, dict[str, Any]] = {}
        self.outside: Any = real_local()  # its attribute `space` is the namespace of an OS thread

    def find(self, models: Models | None) -> tuple[dict[str, Any], bool]:
        """The caller's namespace, and whether it is new."""
        space: dict[str, Any] | None = getattr(self.outside, "space", None)
        if models is None:
            if space is not None:
                return space, False
            self.outside.space = space = {}
            return space, True
        ask_own(models)
        if self.models is not models:
            self.models = models
            self.of_task = {} if space is None else {0: dict(space)}
        index = models.runtime.current.index
        space = self.of_task.get(index)
        if space is not None:
            return space, False
        space = self.of_task[index] = {}
        me = weakref.ref(self)
        models.leaving.setdefault(index, []).append(lambda: _leave(me(), index))
        return space, True


def _leave(spaces: Namespaces | None, index: int) -> None:
    """Drop the namespace of a thread that has ended, as CPython does."""
    owner = spaces.owner() if spaces is not None else None
    if spaces is not None and owner is not None:
        _set(owner, "__dict__", {})
        spaces.of_task.pop(index, None)


class local:  # noqa: N801  # its name is the real one's
    """Thread-local data."""

    __slots__ = ("__dict__", "__weakref__", "_mz_spaces")

    def __new__(cls, /, *args: Any, **kwargs: Any) -> local:
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError("Initialization arguments are not supported")
        self = object.__new__(cls)
        spaces = Namespaces(self, (args, kwargs))
        _set(self, "_mz_spaces", spaces)
        spaces.find(here())  # __init__ runs next, for this thread, by itself
        return self

    def __getattribute__(self, name: str) -> Any:
        _put_in_place(self)
        return _get(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__dict__":
            raise AttributeError(f"{_name(self)!r} object attribute '__dict__' is read-only")
        _put_in_place(self)
        _note()
        _set(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name == "__dict__":
            raise AttributeError(f"{_name(self)!r} object attribute '__dict__' is read-only")
        _put_in_place(self)
        _note()
        object.__delattr__(self, name)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {_name(self)!r} object")


def _note() -> None:
    """The running thread changes thread-local state: its loop makes progress, though no step shows it."""
    models = here()
    if models is not None:
        models.runtime.current.silent += 1


def _name(self: local) -> str:
    return "_thread._local" if type(self) is local else type(self).__name__


def _put_in_place(self: local) -> None:
    spaces: Namespaces = _get(self, "_mz_spaces")
    space, fresh = spaces.find(here())
    _set(self, "__dict__", space)
    if fresh:
        cls = type(self)
        if cls.__init__ is not object.__init__:
            args, kwargs = spaces.arguments
            cls.__init__(self, *args, **kwargs)


local.__module__ = "_thread"
local.__qualname__ = local.__name__ = "_local"
