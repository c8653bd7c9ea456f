"""The library's types by name; a new one is a class in a file of the library, and one row here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from mazurka.commute.shared_type import SharedType
from mazurka.commute.specification import Specification, specifications_of
from mazurka.errors import MazurkaError, did_you_mean

#: Name of the type -> module of the library, and class.
TYPES: Final = {
    "list": "sequences:ListType",
    "deque": "sequences:DequeType",
    "array_list": "sequences:ArrayListType",
    "stack": "sequences:StackType",
    "dict": "mappings:DictType",
    "OrderedDict": "mappings:OrderedDictType",
    "defaultdict": "mappings:DefaultDictType",
    "Counter": "mappings:CounterType",
    "hash_table": "mappings:HashTableType",
    "set": "sets:SetType",
    "frozenset": "sets:FrozenSetType",
    "concurrent_set": "sets:ConcurrentSetType",
    "queue.Queue": "queues:QueueType",
    "queue.SimpleQueue": "queues:SimpleQueueType",
    "work_queue": "queues:WorkQueueType",
    "queue.LifoQueue": "queues:LifoQueueType",
    "queue.PriorityQueue": "queues:PriorityQueueType",
    "queue": "queues:PlainQueueType",
    "bounded_queue": "queues:BoundedQueueType",
    "priority_queue": "queues:HeapType",
    "threading.Lock": "synchronisation:LockType",
    "threading.Event": "synchronisation:EventType",
    "threading.Condition": "synchronisation:ConditionType",
    "threading.Semaphore": "synchronisation:SemaphoreType",
    "threading.Barrier": "synchronisation:BarrierType",
    "concurrent.futures.Future": "futures:FutureType",
    "concurrent.futures.Executor": "futures:ExecutorType",
    "file": "outside:FileType",
    "appended_file": "outside:AppendedFileType",
    "socket": "outside:SocketType",
    "memory": "lifetimes:MemoryType",
    "channel": "lifetimes:ChannelType",
    "context": "lifetimes:ContextType",
    "stream": "lifetimes:StreamType",
    "connection": "lifetimes:ConnectionType",
    "itertools.count": "numbers:CountType",
    "counter": "numbers:NumberType",
    "register": "numbers:RegisterType",
    "max_register": "numbers:MaxRegisterType",
    "union_find": "union_find:UnionFindType",
    "partition": "union_find:PartitionType",
}


def shared_type(name: str) -> type[SharedType]:
    """The class of a type of the library; an error ``specification`` if there is none of this name."""
    if name not in TYPES:
        hint = did_you_mean(name, TYPES) or "`mazurka spec list` lists them"
        raise MazurkaError("specification", f"no type of the library is called {name}", hint=hint)
    module, _, attribute = TYPES[name].partition(":")
    found: type[SharedType] = getattr(import_module(f"mazurka.commute.library.{module}"), attribute)
    return found


@cache
def specification(name: str, variant: str) -> Specification:
    """A specification of the library; ``variant`` is ``fine`` or ``coarse``. A type without this variant has one
    specification of both kinds, which is returned."""
    found = specifications_of(shared_type(name))
    return found.get(variant) or next(iter(found.values()))
