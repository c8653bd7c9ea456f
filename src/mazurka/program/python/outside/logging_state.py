"""The configuration of `logging`: one location, which every record reads on its way to handlers.

Loggers, handlers and what they are set to are put back at the end of a run that has changed any, so that handlers
don't pile up over executions.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import replace_function, replace_method
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.python.semantics.objects import number
from mazurka.trace.targets import ATTRIBUTE

_CONFIGURATION: Final = place("logging configuration")

_MUTABLE: Final = (list, dict, set)

#: Names of the module's own state.
_GLOBALS: Final = (
    *("_handlers", "_handlerList", "_levelToName", "_nameToLevel"),
    *("_loggerClass", "_logRecordFactory", "raiseExceptions", "lastResort"),
)


def _save() -> Callable[[], object]:
    manager = logging.root.manager
    loggers = [logging.root, *manager.loggerDict.values()]
    handlers = [each for logger in loggers for each in getattr(logger, "handlers", ())]
    namespaces = [vars(each) for each in (manager, *loggers, *handlers)]
    saved = [(namespace, dict(namespace)) for namespace in namespaces]
    names: dict[str, Any] = {name: vars(logging)[name] for name in _GLOBALS if name in vars(logging)}
    values = [value for _, content in saved for value in content.values()] + list(names.values())
    contents = [(value, value.copy()) for value in values if type(value) in _MUTABLE]
    known = dict(names["_handlers"])  # a mapping with weak values

    def put_back() -> None:
        for namespace, content in saved:
            namespace.clear()
            namespace.update(content)
        vars(logging).update(names)
        for value, content in contents:
            value.clear()
            value.extend(content) if type(value) is list else value.update(content)
        names["_handlers"].clear()
        names["_handlers"].update(known)
        manager._clear_cache()  # type: ignore[attr-defined]  # what is kept of loggers' levels

    return put_back


def _changing(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    pass_step(models, change(*_CONFIGURATION))
    undo_at_end(models, "logging", _save)
    return real(*args, **named)


def _looking(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    pass_step(models, read(*_CONFIGURATION))
    return real(*args, **named)


def _looking_up(models: Models, real: Any, logger: Any, *args: Any) -> Any:
    """A logger has the level of those above it, which may be set past the method for that."""
    levels, each = [], logger
    while each is not None and not models.runtime.solo:
        levels.append(read((ATTRIBUTE, number(each), "level"), "the level of a logger"))
        each = each.parent
    pass_step(models, read(*_CONFIGURATION), *levels)
    return real(logger, *args)


def _getting_logger(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    undo_at_end(models, "logging", _save)  # it may be a new one; which all threads that ask get alike
    return real(*args, **named)


for _name in (
    *("Logger.setLevel", "Logger.addHandler", "Logger.removeHandler", "Filterer.addFilter", "Filterer.removeFilter"),
    *("Handler.setFormatter", "Handler.setLevel", "Handler.close"),
):
    replace_method("logging", _name, _changing)
for _name in ("Logger.callHandlers", "Logger.hasHandlers"):
    replace_method("logging", _name, _looking)
for _name in ("Logger.isEnabledFor", "Logger.getEffectiveLevel"):
    replace_method("logging", _name, _looking_up)
for _name in ("Manager.getLogger", "Handler.__init__"):
    replace_method("logging", _name, _getting_logger)
for _name in ("disable", "basicConfig", "addLevelName", "setLoggerClass", "setLogRecordFactory", "captureWarnings"):
    replace_function(logging, _name, _changing)
