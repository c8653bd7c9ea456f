"""The configuration of `logging`: one location, which every record reads on its way to handlers. A program may change
loggers and handlers past their methods (`log.handlers.clear()`, `log.disabled = True`): a record reads their attributes
and lists, too, and the methods change them.

The time of a record is a look at the clock, which orders threads. It is no step as long as records only get to handlers
of `logging` itself whose format contains no time. A logger's answer whether records of a level are wanted is kept in a
cache, which is no location as long as no level is set while threads run.

Loggers, handlers and their settings are put back at the end of a run that has changed any, so that handlers
don't pile up over executions.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from os.path import basename, splitext
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.isolation.capture import is_output
from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import METHODS, replace_method
from mazurka.program.python.primitives.clock import EPOCH
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import StepAccess, change, is_point, pass_step, read
from mazurka.program.python.primitives.threads import thread_of
from mazurka.program.python.semantics import handed_objects
from mazurka.program.python.semantics.locations import contents
from mazurka.program.python.semantics.objects import dictionary, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.steps_in_order import steps_in_order
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import LEVEL_POINTS, POOL_POINTS, RECORD_POINTS
from mazurka.trace.event import WRITES
from mazurka.trace.targets import ATTRIBUTE, OBJECT, Kind, Target, of_kinds

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
        manager._clear_cache()  # type: ignore[attr-defined]  # the cache of loggers' levels

    return put_back


#: Attributes of loggers and handlers that decide the way of records; some are lists.
_PARTS: Final = ("level", "disabled", "propagate", "formatter", "handlers", "filters")


def _targets(thing: Any, parts: tuple[str, ...] = _PARTS) -> list[Target]:
    """The locations of a logger's or handler's settings."""
    space = dictionary(thing)
    names = [name for name in parts if name in space]
    lists = [space[name] for name in names if type(space[name]) is list]
    inside = [access.target for each in lists for access in contents(each)]
    return [(ATTRIBUTE, number(thing), name) for name in names] + inside


def _changing(*parts: str) -> Callable[..., Any]:
    """The wrapper of a function, or of a method of a logger or handler, that changes these attributes, or their
    elements."""

    def change_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        targets = _targets(args[0], parts) if parts and not models.runtime.solo else []
        if targets and has_concurrent_threads(models.runtime):
            _note_lists(models.runtime, args[0], parts)
        if "level" in parts:
            _note_level(models.runtime)
        pass_step(models, change(*_CONFIGURATION), *[change(each, _WORDS) for each in targets])
        undo_at_end(models, "logging", _save)
        return real(*args, **named)

    return change_


def _disabling(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    """`logging.disable` sets an attribute of the manager of the loggers, which a program may read, or set, too."""
    pass_step(models, change(*_CONFIGURATION), change(*_manager()))
    _note_level(models.runtime)
    undo_at_end(models, "logging", _save)
    return real(*args, **named)


def _note_level(run: Runtime) -> None:
    """A level is set: until the caches of loggers are emptied, it matters whether they have an answer."""
    if has_concurrent_threads(run):
        run.need_points(LEVEL_POINTS)


def _manager() -> tuple[Target, str]:
    return (OBJECT, number(logging.root.manager)), "the manager of the loggers"


#: Classes whose methods are known.
_LOGGERS: Final = (logging.Logger, logging.RootLogger)

_WORDS: Final = "the settings of a logger or handler"

#: Number of a list, or an attribute that holds one -> the threads that call methods which look for an element in it,
#: then change it, each with a counter.
_changed_by_methods: Final[dict[int | Target, dict[int, Callable[[], None]]]] = per_run({})


def _note_lists(run: Runtime, thing: Any, parts: tuple[str, ...]) -> None:
    """Note a call of a method of `logging`: it is one step only for threads that use these lists through its methods,
    and so under its lock."""
    text = f"a method of {type(thing).__name__} beside a direct change of its {' and '.join(parts)}"
    for name in parts:
        value = dictionary(thing).get(name)
        if type(value) is list:
            for key in (number(value), (ATTRIBUTE, number(thing), name)):
                _changed_by_methods.setdefault(key, {})[run.current.index] = partial(_count, run, text)


def _count(run: Runtime, text: str) -> None:
    run.untracked[text] = run.untracked.get(text, 0) + 1


def count_at_end(run: Runtime) -> None:
    """A run has ended: count methods of `logging` during which other threads may have changed the same lists."""
    if not _changed_by_methods:
        return
    for step in steps_in_order(run):
        op, target, more = step.entry[1], step.entry[2], step.entry[6]
        accesses = [Access(op, target), *more]
        if any(each.target == _CONFIGURATION[0] for each in accesses):
            continue
        for each in accesses:
            key = each.target[1] if _is_content(each.target) else each.target
            if WRITES[each.op] and (callers := _changed_by_methods.get(key)):
                handed_objects.count_others(run, callers, step)


_is_content: Final = of_kinds(Kind.ITEM, Kind.STRUCTURE, Kind.VALUES)


def _looking(models: Models, real: Any, logger: Any, *args: Any) -> Any:
    """A record goes to the handlers of a logger and of those above it, or they are counted."""
    parts: list[StepAccess] = []
    for each in () if models.runtime.solo else _upwards(logger, getting=True):
        things = [each, *each.handlers]
        parts += [read(target, _WORDS) for thing in things for target in _targets(thing)]
    pass_step(models, read(*_CONFIGURATION), *parts)
    if args and not models.runtime.solo:
        _look_who_gets(models, logger)
    return real(logger, *args)


def _looking_up(models: Models, real: Any, logger: Any, *args: Any) -> Any:
    """A logger takes its level from the loggers above it, whose levels may be set without the method for that."""
    levels, each = [read(*_manager())], logger
    while each is not None and not models.runtime.solo:
        levels.append(read((ATTRIBUTE, number(each), "level"), _WORDS))
        levels.append(read((ATTRIBUTE, number(each), "disabled"), _WORDS))
        each = each.parent
    pass_step(models, read(*_CONFIGURATION), *levels)
    return real(logger, *args)


def _is_enabled(models: Models, real: Any, logger: Any, level: Any) -> Any:
    """Whether records of a level are wanted. The answer is kept in a cache, which is emptied where a level is set: as
    long as none is set while threads run, it makes no difference which thread fills the cache, so that is no step."""

    def ask(*args: Any) -> Any:
        cached = dictionary(logger)["_cache"].get(level)
        if cached is not None and cached != (logger.manager.disable < level >= logger.getEffectiveLevel()):
            models.runtime.sharing.learn((LEVEL_POINTS,))  # it was set without the method that empties the cache
        return real(*args)

    is_known = type(level) is int and all(type(each) in _LOGGERS for each in _upwards(logger))
    if is_known and LEVEL_POINTS not in models.runtime.points:
        return _looking_up(models, partial(_apart, models, ask), logger, level)
    return _looking_up(models, real, logger, level)


def _apart(models: Models, call: Callable[..., Any], *args: Any) -> Any:
    return models.runtime.look_up(lambda: call(*args))


def _upwards(logger: Any, getting: bool = False) -> Iterator[Any]:
    """A logger, and those above it; only those ``getting`` its records."""
    while logger is not None:
        yield logger
        logger = logger.parent if logger.propagate or not getting else None


def _asking(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    """The name of a level, or another setting of the module, is looked up."""
    pass_step(models, read(*_CONFIGURATION))
    return real(*args, **named)


def _getting_logger(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    undo_at_end(models, "logging", _save)  # it may be a new logger, the same one for all threads that ask
    return real(*args, **named)


for _name, _parts in {
    "Logger.setLevel": ("level",),
    "Logger.addHandler": ("handlers",),
    "Logger.removeHandler": ("handlers",),
    "Filterer.addFilter": ("filters",),
    "Filterer.removeFilter": ("filters",),
    "Handler.setFormatter": ("formatter",),
    "Handler.setLevel": ("level",),
    "Handler.close": (),
    "Manager._clear_cache": (),  # a level is set before: until then loggers give the answers that they gave
}.items():
    replace_method("logging", _name, _changing(*_parts))


def _logging(models: Models, real: Any, logger: Any, level: Any, msg: Any, args: Any, **named: Any) -> Any:
    """A record is made and handled. As long as nothing but `logging` itself gets it, no format has its time, and no
    thread changes what it depends on, it is made in one step and without hooks, as ``LogRecord`` does: they would take
    most of the time of a program that logs."""
    run = models.runtime
    if not run.solo:
        _look_who_gets(models, logger)  # a class of the program may handle the record in its own way
    if named or run.solo or RECORD_POINTS in run.points or not models.has_loops or not _is_plain(level, msg, args):
        return real(logger, level, msg, args, **named)
    formats = _formats(logger)
    if formats is None or _has_time(formats) or not _has_usual_settings():
        return real(logger, level, msg, args)
    loggers = list(_upwards(logger, getting=True))
    handlers = [handler for each in loggers for handler in each.handlers]
    parts = (*_PARTS, "stream", "parent")
    looks = [read(target, _WORDS) for thing in (*loggers, *handlers) for target in _targets(thing, parts)]
    looks += read((ATTRIBUTE, number(logger), "name"), _WORDS), read(*_CONFIGURATION)
    looks += [read(access.target, "the names of levels") for access in contents(vars(logging)["_levelToName"])]
    if not handlers or is_point(models, *looks):
        return real(logger, level, msg, args)
    pass_step(models, *looks)
    if logger.disabled:
        return None
    now = EPOCH + run.now(shown=False)
    record = object.__new__(logging.LogRecord)
    vars(record).update(
        _place(sys._getframe(1)),
        name=logger.name,
        msg=msg,
        args=args,
        levelno=level,
        levelname=vars(logging)["_levelToName"].get(level, f"Level {level}"),
        exc_info=None,
        exc_text=None,
        stack_info=None,
        created=now,
        msecs=int(now % 1 * 1000) + 0.0,
        relativeCreated=(now - vars(logging)["_startTime"]) * 1000,
        thread=threading.get_ident() if _shows_threads(models, handlers) else models.ident(run.current),
        threadName=_name_of_thread(models, handlers),
        processName=_name_of_process(),
        process=os.getpid(),
        **_TASK,
    )
    if _TASK and "asyncio" in sys.modules:
        vars(record)["taskName"] = _name_of_task()
    for handler in handlers:
        if level >= handler.level:
            handler.handle(record)
    return None


def _is_plain(level: Any, msg: Any, args: Any) -> bool:
    """Whether a message needs no code of the program, and no look at objects that change."""
    return type(level) is int and type(msg) is str and type(args) is tuple and set(map(type, args)) <= _ATOMS


_ATOMS: Final = frozenset({str, int, float, bool, bytes, type(None)})

_TASK: Final[dict[str, None]] = {"taskName": None} if sys.version_info >= (3, 12) else {}


def _name_of_thread(models: Models, handlers: list[Any]) -> str:
    task = models.runtime.current
    if _shows_threads(models, handlers):
        return threading.current_thread().name
    if task.thread is None and task.index != 0:
        return threading.current_thread().name if _naming_threads(handlers) else task.name
    return str(vars(thread_of(task, models))["_name"])


def _shows_threads(models: Models, handlers: list[Any]) -> bool:
    """Whether a handler writes the thread of a record where the program can read it, or who judges its output."""
    naming = _naming_threads(handlers)
    return bool(naming) and (models.is_judged or not all(is_output(_stream_of(each)) for each in naming))


def _naming_threads(handlers: list[Any]) -> list[Any]:
    return [each for each in handlers if "thread" in (_format_of(each) or "")]


def _stream_of(handler: Any) -> Any:
    return sys.stderr if handler is logging.lastResort else vars(handler).get("stream")


def _name_of_process() -> str:
    module: Any = sys.modules.get("multiprocessing")
    return "MainProcess" if module is None else module.current_process().name


def _name_of_task() -> str | None:
    try:
        return str(sys.modules["asyncio"].current_task().get_name())
    except (AttributeError, RuntimeError):  # no task, no loop
        return None


def _has_usual_settings() -> bool:
    """Whether records are of the usual class, with all attributes. A program that sets one of these while threads run
    is not tracked. In the first trial runs `logging` may not be instrumented: a call accesses all its state then."""
    settings = vars(logging)
    if logging.__file__ not in sites.instrumented:
        return False
    return settings["_logRecordFactory"] is logging.LogRecord and all(settings.get(name, True) for name in _SETTINGS)


_SETTINGS: Final = ("_srcfile", "logThreads", "logMultiprocessing", "logProcesses", "logAsyncioTasks")


def _place(frame: Any) -> dict[str, Any]:
    """The attributes of a record for the place that it comes from, the first frame outside of `logging` and hooks."""
    while frame.f_back is not None and _is_inside(frame.f_code.co_filename):
        frame = frame.f_back
    code = frame.f_code
    name = basename(code.co_filename)
    return {
        "pathname": code.co_filename,
        "filename": name,
        "module": splitext(name)[0],
        "lineno": frame.f_lineno,
        "funcName": code.co_name,
    }


def _is_inside(file: str) -> bool:
    """Whether code of a file is no place that records come from."""
    return file == logging.__file__ or file.startswith(_OURS) or ("importlib" in file and "_bootstrap" in file)


def _finding_callers(real: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a record does not come from a frame; one of ours is none of the program, outside of runs either."""

    def is_internal(frame: Any) -> bool:
        return frame.f_code.co_filename.startswith(_OURS) or real(frame)

    return is_internal


_OURS: Final = __file__.removesuffix("program/python/outside/logging_state.py")


def _formatting(models: Models, real: Any, handler: Any, record: Any) -> Any:
    """A record becomes text: in one step, if nothing but `logging` itself takes part, and no thread changes what the
    text depends on."""
    format_ = None if models.runtime.solo or not models.has_loops else _format_of(handler)
    if format_ is None or not _is_simple(record) or _has_time([format_]) or not _is_untouched():
        return real(handler, record)
    formatter = handler.formatter or vars(logging)["_defaultFormatter"]
    style = vars(formatter)["_style"]
    if type(style) is not logging.PercentStyle or vars(style) != {"_fmt": format_, "_defaults": None}:
        return real(handler, record)  # defaults may be objects of the program, or change
    parts = (handler, "formatter"), (formatter, "_style"), (style, "_fmt"), (style, "_defaults")
    looks = [read((ATTRIBUTE, number(thing), name), _WORDS) for thing, name in parts]
    if is_point(models, *looks):
        return real(handler, record)
    message = record.msg
    if record.args:
        try:
            message %= record.args
        except Exception:  # `logging` is to raise it
            message = None
    if message is None:
        return real(handler, record)
    pass_step(models, *looks)
    record.message = message
    return models.runtime.look_up(lambda: style.format(record))


def _is_simple(record: Any) -> bool:
    if type(record) is not logging.LogRecord:
        return False
    made = vars(record)
    if any(made.get(name) is not None for name in ("exc_info", "exc_text", "stack_info")):
        return False
    return made.keys() <= _OF_RECORDS and _is_plain(made.get("levelno"), made.get("msg"), made.get("args"))


def _handling(models: Models, real: Any, logger: Any, record: Any) -> Any:
    if not models.runtime.solo:
        pass_step(models, *[read(each, _WORDS) for each in _targets(logger, ("disabled", "filters"))])
        _look_who_gets(models, logger)
    return real(logger, record)


def _look_who_gets(models: Models, logger: Any) -> None:
    """Have looks for times of records be steps, if more than `logging` itself gets one, or a format has its time. If it
    may have the thread, too, tasks of executors have to have those of CPython."""
    run = models.runtime
    asks = run.current.pool is not None
    if RECORD_POINTS not in run.points or asks:
        formats = _formats(logger)
        if formats is None or _has_time(formats):
            run.need_points(RECORD_POINTS)
        if asks and (formats is None or _shows_threads(models, _handlers_of(logger))):
            run.need_points(POOL_POINTS)


def _handlers_of(logger: Any) -> list[Any]:
    return [handler for each in _upwards(logger, getting=True) for handler in each.handlers] or [logging.lastResort]


def _has_time(formats: list[str]) -> bool:
    return any(word in format_ for format_ in formats for word in ("time", "created", "msecs", "relativeCreated"))


def _formats(logger: Any) -> list[str] | None:
    """The formats of all handlers that get a logger's records; None if code of the program may get them."""
    found = [] if logging.lastResort is None else [_format_of(logging.lastResort)]
    each = logger
    while each is not None:
        if type(each) not in _LOGGERS or not vars(each).keys() <= _OF_LOGGERS or each.filters:
            return None
        found += map(_format_of, each.handlers)
        each = each.parent if each.propagate else None
    known = [format_ for format_ in found if format_ is not None]
    return known if len(known) == len(found) and _is_untouched() else None


def _is_untouched() -> bool:
    """Whether the methods that handle records are those of `logging`."""
    return all(vars(kind)[name].__module__ == "logging" for kind, name in _USED)


def _format_of(handler: Any) -> str | None:
    """The format of a handler; None if code of the program may take part."""
    if type(handler) not in _HANDLERS or not vars(handler).keys() <= _OF_HANDLERS or handler.filters:
        return None
    formatter = handler.formatter or vars(logging)["_defaultFormatter"]
    if type(formatter) is not logging.Formatter or not vars(formatter).keys() <= _OF_FORMATTERS:
        return None
    style: Any = vars(formatter)["_style"]
    format_, defaults = vars(style).get("_fmt"), vars(style).get("_defaults")
    if type(style) not in _STYLES or type(format_) is not str or defaults is not None and type(defaults) is not dict:
        return None
    return format_


_HANDLERS: Final = (logging.StreamHandler, logging.FileHandler, logging.NullHandler, type(logging.lastResort))
_STYLES: Final = (logging.PercentStyle, logging.StrFormatStyle, logging.StringTemplateStyle)

#: The usual attributes of loggers, and so of handlers and formatters. Objects with others may have methods of the
#: program.
_OF_LOGGERS: Final = frozenset("filters name level parent propagate handlers disabled manager _cache root".split())
_OF_HANDLERS: Final = frozenset(
    """filters _name level formatter _closed lock stream baseFilename mode encoding errors delay _builtin_open
    terminator""".split()
)
_OF_FORMATTERS: Final = frozenset("_style _fmt datefmt default_time_format default_msec_format".split())

#: The attributes of records.
_OF_RECORDS: Final = vars(logging.makeLogRecord({})).keys() | {"message", "asctime"}

#: The methods that handle a record.
_USED: Final = (
    *[(logging.Logger, name) for name in ("handle", "callHandlers", "findCaller", "makeRecord", "_log")],
    *[(logging.Handler, name) for name in ("handle", "format", "handleError")],
    *[(logging.StreamHandler, "emit"), (logging.FileHandler, "emit"), (logging.NullHandler, "handle")],
    *[(logging.Formatter, name) for name in ("format", "formatMessage", "usesTime", "formatException")],
    *[(logging.PercentStyle, name) for name in ("format", "_format", "usesTime")],
    *[(logging.LogRecord, name) for name in ("__init__", "getMessage")],
)

METHODS["logging", "_is_internal_frame"] = _finding_callers
replace_method("logging", "Logger._log", _logging)
replace_method("logging", "Logger.handle", _handling)
replace_method("logging", "Handler.format", _formatting)
for _name in ("Logger.callHandlers", "Logger.hasHandlers"):
    replace_method("logging", _name, _looking)
replace_method("logging", "Logger.isEnabledFor", _is_enabled)
replace_method("logging", "Logger.getEffectiveLevel", _looking_up)
for _name in ("Manager.getLogger", "Handler.__init__"):
    replace_method("logging", _name, _getting_logger)
for _name in (
    *("getLevelName", "getLevelNamesMapping", "getLoggerClass", "getLogRecordFactory"),
    *("getHandlerByName", "getHandlerNames"),
):
    replace_method("logging", _name, _asking)
replace_method("logging", "disable", _disabling)
for _name in ("basicConfig", "addLevelName", "setLoggerClass", "setLogRecordFactory", "captureWarnings"):
    replace_method("logging", _name, _changing())  # by its name: the module is spared from the models of functions
