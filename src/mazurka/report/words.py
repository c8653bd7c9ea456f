"""The words for threads, targets, values and operations in reports.

Each wording is defined in one place, so that rows and sentences agree.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from mazurka.program.memory import is_flusher, owner_of
from mazurka.program.protocol import BlockedThread, Run, Step
from mazurka.replay.anchor import is_standard, target_in_words
from mazurka.trace.event import READS, WRITES, Location, Op
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.targets import CLOCK, Kind, Target, kind_of

#: The changes that threads poll for, and how many locations a sentence names.
_CHANGES: Final = {Kind.THREAD: "to end", Kind.LOCK: "to be released", Kind.HANDED: "to be released"}
_MOST_POLLED: Final = 3

_LONGEST_VALUE: Final = 32
_LONGEST_TARGET: Final = 48

#: The length that names in recorded traces are cut to: some are whole keys of dictionaries.
LONGEST_NAME: Final = 200

_OBJECT: Final = re.compile(r"\b([^\W\d]\w*)#\d+(?:\.\d+)*")

#: The compiler's prefix of a private name (language reference, 6.2.1).
_MANGLED: Final = re.compile(r"(?<=\.)_[^\W\d_]\w*?(?=__\w*[^\W_](?!\w*__\b))")

#: The kinds of locations of which the model of queues consists.
_QUEUES: Final = (Kind.QUEUE_END, Kind.QUEUED, Kind.UNFINISHED)

_VERBS: Final = {
    Op.READ: "reads",
    Op.WRITE: "writes",
    Op.RMW: "changes",
    Op.ACQUIRE: "acquires",
    Op.RELEASE: "releases",
    Op.REQUEST: "wants",
    Op.WAIT: "waits on",
    Op.NOTIFY: "notifies",
    Op.NOTIFY_ALL: "notifies all on",
    Op.FORK: "starts",
    Op.JOIN: "joins",
    Op.FREE: "frees",
    Op.CALL: "calls",
    Op.POINT: "performs",
}


def verb(op: Op) -> str:
    """The verb for an operation on a target."""
    return _VERBS.get(op, op.name.lower())


def label_of(run: Run, task: ThreadIndex) -> str:
    """The name of a thread for people; its stable name is added if other threads have the same name."""
    task = owner(run, task)
    called = _plain_label(run, task)
    own = [ThreadIndex(each) for each, name in enumerate(run.tasks) if not is_flusher(name)]
    same = Counter(_plain_label(run, each) for each in own)[called]
    return f"{called} ({run.tasks[task]})" if same > 1 else called


def owner(run: Run, task: ThreadIndex) -> ThreadIndex:
    """The thread itself; for a queue of stores, the thread that stores."""
    return ThreadIndex(run.tasks.index(owner_of(run.tasks[task])))


def _plain_label(run: Run, task: ThreadIndex) -> str:
    label = run.labels.get(task, "")
    if run.tasks[task] == "0" and label in ("", "MainThread"):
        return "main"
    return label or f"thread {run.tasks[task]}"


def label_of_name(run: Run, thread: str) -> str:
    """The name for people of a thread given by its stable name."""
    return label_of(run, ThreadIndex(run.tasks.index(thread))) if thread in run.tasks else thread


def target_words(run: Run, target: Target, numbers: Mapping[str, str] | None = None) -> str:
    """The name of a target, cut to a length that fits a table; ``numbers`` are the names from :func:`numbered`."""
    if len(target) == 2 and kind_of(target) is Kind.THREAD:
        return label_of_name(run, str(target[1]))
    return shorten(_compact(run, target_in_words(target, run.names), numbers), _LONGEST_TARGET)


def _compact(run: Run, text: str, numbers: Mapping[str, str] | None = None) -> str:
    """A text with numbers for objects without a name, by type and in the order of the run, private names as in the
    source, and paths relative to the current directory."""
    text = re.sub(rf"(?<![\w/.-]){re.escape(os.getcwd())}/(?=.)", "", _MANGLED.sub("", text))
    if "#" not in text:
        return text
    short = numbered(run) if numbers is None else numbers
    return _OBJECT.sub(lambda found: short.get(found.group(), found.group()), text)


def numbered(run: Run) -> dict[str, str]:
    """Short names for the objects of a run that are known by type and birth (``Account#0.1.1``) only."""
    counts: Counter[str] = Counter()
    short: dict[str, str] = {}
    values = [step.value for step in run.log if isinstance(step.value, str) and "#" in step.value]
    for text in (*run.names.values(), *values):
        for found in _OBJECT.finditer(text):
            if found.group() not in short:
                counts[found[1]] += 1
                short[found.group()] = f"{found[1]}#{counts[found[1]]}"
    return short


def value_words(run: Run, value: object, numbers: Mapping[str, str] | None = None) -> str:
    """A recorded value in words; front ends record text that can be shown."""
    return shorten(_compact(run, value if isinstance(value, str) else repr(value), numbers), _LONGEST_VALUE)


def shorten(text: str, length: int) -> str:
    """Text on one line of at most ``length`` printable characters."""
    text = one_line(text)
    return text if len(text) <= length else text[: max(length - 3, 1)].rstrip() + "..."


def cut(text: str, width: int) -> str:
    """A line of at most ``width`` characters, its indentation kept."""
    return text if len(text) <= width else text[: width - 3].rstrip() + "..."


def counted(number: int, noun: str) -> str:
    """``3 events``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def one_line(text: str) -> str:
    """Text with every sequence of white space replaced by a single space."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Text without control characters, which a program might use to affect the terminal."""
    return text if text.isprintable() else "".join(each if each.isprintable() else "?" for each in text)


def step_words(run: Run, step: Step) -> str:
    """The words of a step: ``reads balance = 100``."""
    if is_flusher(run.tasks[step.task]):
        return f"its {_with_value(run, step)} reaches memory"
    if kind_of(step.target) is Kind.STORE:
        return f"stores {_with_value(run, step)} (not in memory yet)"
    if kind_of(step.target) is Kind.FLUSHED:
        return f"reads {_with_value(run, step)} (its own store)"
    for access in step.more:
        if access.op in (Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL):
            return f"{_VERBS[access.op]} {target_words(run, access.target)}"
    if is_failed_attempt(step):
        return f"can't acquire {target_words(run, step.target)}"
    if step.target == CLOCK:
        return "looks at the clock"
    if kind_of(step.target) in _QUEUES:
        return _in_queue(run, step)
    if step.op not in _VERBS:
        return "sleeps" if step.op is Op.SLEEP else step.op.name.lower()
    return f"{_VERBS[step.op]} {_with_value(run, step)}"


#: The methods of queues that tell how many items there are.
LOOKS: Final = ("empty", "full", "qsize")


def queue_method(location: Location | None) -> str:
    """The method of ``queue.Queue`` in whose code, CPython's own, a step is; "": in none."""
    if location is None or os.path.basename(location.file) != "queue.py" or not is_standard(location.file):
        return ""
    return location.function.rpartition(".")[2]


def queue_name(lock: str) -> str:
    """The name of a queue, by that of its lock or of one of its conditions."""
    return lock.rpartition(".")[0] or lock


def in_queue_words(run: Run, step: Step, location: Location | None) -> str:
    """The words of a step in the code of CPython's queues; "": it is in none, or it shows no call."""
    method = queue_method(location)
    if not method or kind_of(step.target) not in (Kind.LOCK, Kind.CONDITION):
        return ""
    name = queue_name(target_words(run, step.target))
    if any(access.op is Op.WAIT for access in step.more) or step.op is Op.WAIT:
        return f"waits in {name}.{method}()"
    return f"calls {name}.{method}()" if step.op in (Op.ACQUIRE, Op.RELEASE, Op.NOTIFY, Op.NOTIFY_ALL) else ""


def _in_queue(run: Run, step: Step) -> str:
    """The words of a step of the model of queues, ``program/python/primitives/fifo_queues.py``."""
    name, value = target_words(run, step.target), value_words(run, step.value) if step.value is not None else "an item"
    kind, part = kind_of(step.target), step.target[-1]
    if kind is Kind.UNFINISHED:
        return f"sees the end of all tasks of {name}" if step.op is Op.READ else f"finishes a task of {name}"
    if part == "taken":
        return f"finds room in {name}"
    if part == "head":
        return f"wants an item of {name}"
    return f"gets {value} from {name}" if step.op is Op.READ else f"puts {value} into {name}"


def awaited_words(run: Run, waiting: BlockedThread) -> str:
    """What a thread waits for at the end of a run: of one that polls, the locations that its loop reads."""
    polled = [
        target
        for blocked in run.blocked
        if blocked.repeats and run.tasks[blocked.task] == waiting.thread
        for target in blocked.repeats
        if kind_of(target) is not Kind.WAKE
    ]
    words = [f"{target_words(run, each)} {_CHANGES.get(kind_of(each), 'to change')}" for each in dict.fromkeys(polled)]
    return " or ".join(words[:_MOST_POLLED]) or waiting.for_what


def operation_words(step: Step) -> str:
    """The words of a step's operation, without the target: ``reads``."""
    if is_failed_attempt(step):
        return "can't acquire"
    for access in step.more:
        if access.op in (Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL):
            return _VERBS[access.op]
    return _VERBS.get(step.op, step.op.name.lower())


def is_failed_attempt(step: Step) -> bool:
    """Whether a step is a failed attempt to acquire a lock."""
    return step.op is Op.READ and kind_of(step.target) is Kind.LOCK and any(each.op is Op.REQUEST for each in step.more)


def ending_words(run: Run, index: StepIndex) -> str:
    """The words of a step by which a timeout fires, or a sleep has outrun others."""
    step, seconds = run.log[index], f"{run.ended[index]:.3g} s"
    if step.op is Op.SLEEP:
        return f"has {'looked at the clock for' if step.target == CLOCK else 'slept'} {seconds}"
    kind = kind_of(step.target)
    if kind is Kind.LOOP:
        return next(name for at, _, name in run.lanes if at == index and name)
    if kind is Kind.LOCK:
        holder = next((each.task for each in reversed(run.log[:index]) if _takes(each, step.target)), None)
        why = f": {target_words(run, step.target)} is held by {label_of(run, holder)}" if holder is not None else ""
    else:
        why = "" if kind is Kind.WAKE else f", waiting for {target_words(run, step.target)}"
    return f"timeout of {seconds} fires{why}"


def _takes(step: Step, target: Target) -> bool:
    return step.op is Op.ACQUIRE and step.target == target


def _with_value(run: Run, step: Step) -> str:
    words = target_words(run, step.target)
    if step.value is None or not (READS[step.op] or WRITES[step.op]):
        return words
    value = value_words(run, step.value)
    return words if is_name_of(words, value) else f"{words} = {value}"


def is_name_of(words: str, value: str) -> bool:
    """Whether the words for a target end with a value's, or are that value's with a part: ``table (keys)``."""
    return f" {words}".endswith(f" {value}") or words.startswith(f"{value} (")
