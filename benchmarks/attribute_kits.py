"""Kits of objects whose attributes are read and stored in all ways, for classes that derive from different ones.

    make bench ARGS="serial-orders --only attributes --jobs 2"

Where an attribute is found, and which steps report it, depends on the class: an instance may have its attributes beside
a state in C, beside the items of a container, or one for each thread; and each of its classes may get a value that
shows through, a method, or a descriptor. One operation is one line.
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit

#: Modules that their programs import, beside those of the other kits.
ATTRIBUTE_MODULES: Final = ("inspect", "types")

#: A class from which ours derives -> how an instance is made.
_MADE: Final = {
    "object": "Own()",
    "KeyError": "Own('q')",
    "dict": "Own(a=1)",
    "set": "Own()",
    "tuple": "Own((1,))",
    "threading.Event": "Own()",
    "threading.local": "Own()",
    "io.StringIO": "Own()",
    "logging.Handler": "Own()",
    "types.ModuleType": "Own('m')",
    "type": "Own('Made', (), {})",
    "collections.UserDict": "Own()",
}

_CLASSES: Final = """class Root:
    z = 0
    def method(self): return 1
class Second(Root):
    z = 11
def matched(thing):
    match thing:
        case Own(z=found):
            return found
class Own({bases}):
    w = 2
    @property
    def computed(self): return 3
    def seen(self, default=1): return default
class Other(Own):
    z = 21
thing = {made}
"""

_READS: Final = """thing.z
getattr(thing, 'z', 0)
operator.attrgetter('z')(thing)
copy.copy(thing).z
vars(thing).get('z')
'z' in vars(thing)
inspect.getattr_static(thing, 'z', 0)
type(thing).z
object.__getattribute__(thing, 'z')
thing.__getattribute__('z')
'z' in Own.__dict__
matched(thing)
thing.method()
hasattr(thing, 'w')
super(Own, thing).z
'late' in sorted(vars(thing))
thing.__class__.__name__
isinstance(thing, Other)
thing.computed
thing.seen()
thing.late
len(vars(Own)) > 9"""

_STORES: Final = """thing.z = 5
setattr(thing, 'z', 5)
thing.__dict__['z'] = 5
Own.z = 5
Root.z = 5
type.__setattr__(Own, 'z', 5)
thing.__setattr__('z', 5)
thing.__class__ = Other
operator.setitem(vars(thing), 'z', 5)
del Own.w
Own.method = lambda self: 9
Own.computed = 8
Own.late = 4
thing.late = 4
thing.seen.__func__.__defaults__ = (9,)
del thing.z"""


def _kit(base: str, made: str) -> Kit:
    setup = _CLASSES.format(bases="Root" if base == "object" else f"Root, {base}", made=made)
    final = "[getattr(thing, each, None) for each in ('z', 'w', 'late')]"
    return Kit(f"attributes beside {base}", setup, (*_READS.splitlines(), *_STORES.splitlines()), final)


ATTRIBUTE_KITS: Final = tuple([_kit(base, made) for base, made in _MADE.items()])
