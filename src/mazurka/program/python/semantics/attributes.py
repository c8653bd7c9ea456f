"""The locations of attributes: the place where an attribute is kept decides which location an access to it touches.

===========================================  ==========================================================
attribute of the class                       location
===========================================  ==========================================================
none, or a slot                              the instance's attribute; each class's, too, if runs showed that
                                             a class gets or loses one of that name while threads run
a function, class or method                  none; the instance's attribute if that may hide it
a data descriptor (property ...)             none: its own code is tracked, or opaque
another descriptor (cached_property ...)     the instance's attribute: that is where it keeps its result
any other value                              the instance's attribute, and the class's while that shows through
computed by C, or by code not instrumented   the object's state (:mod:`native_objects`)
===========================================  ==========================================================

An attribute of a class is a location of the class that has it, and of those that come before it and might get it, of
all if none has it; an attribute of a module is the module's global.
:mod:`classification` decides how an attribute is found.

Cost: two dictionary look-ups for an attribute seen before.
"""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from enum import EnumType
from itertools import dropwhile
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    classification,
    consulted,
    foreign,
    handed_objects,
    harmless,
    key_fields,
    native_objects,
    objects,
    private_classes,
)
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.classification import (
    BESIDE_STATE,
    BOUND,
    COMPUTED,
    CONSTANT,
    CONTAINER,
    DICTIONARY,
    FOREIGN,
    FORWARDED,
    GOT_IN_C,
    INSTANCE,
    LISTED,
    METHODS,
    NONE,
    OF_BASES,
    OF_CELL,
    OF_CLASS,
    OF_CLASSES,
    OF_CONTAINER,
    OF_FRAME,
    OF_MODULE,
    OPAQUE,
    PROPERTY,
    REMADE,
    STATE,
    classify,
    find,
    getter_of,
    is_data_descriptor,
    may_be_replaced,
    only_looks,
    private,
    stands_for,
)
from mazurka.program.python.semantics.global_variables import module_read, module_write
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS, root_of
from mazurka.program.python.semantics.locations import bases, ends_of, mortal, perform
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.shapes import calling, comes_and_goes, comes_or_goes, forget_shapes
from mazurka.program.python.semantics.untracked import count_untracked, look_after_step
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, CELL, OBJECT, STRUCTURE, Kind, kind_of

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW


def read(run: Any, thing: Any, name: str, site: int, how: Any) -> None:
    """An attribute is about to be read that is not simply an attribute of the instance."""
    if how is NONE:
        return
    if type(how) is int and how in _READ_BY:
        if how in _BY_DESCRIPTOR and may_be_replaced(name):
            _look_up_descriptor(run, thing, name, site)
        _READ_BY[how](run, thing, name, site)
    elif is_a(how, type):
        if name in objects.dictionary(thing) and not comes_and_goes(name):
            _emit(run, thing, name, site, _READ)
        else:  # where classes change, a step reads the same locations whether the instance hides them or not
            _emit(run, thing, name, site, _READ, _reads_of(run, upto(type(thing), how), name))
    else:
        _emit(run, thing, name, site, _READ)


#: How attributes are found that a descriptor of the class computes, which the class may lose.
_BY_DESCRIPTOR: Final = frozenset((PROPERTY, COMPUTED, GOT_IN_C, OF_CONTAINER))


def _look_up_descriptor(run: Any, thing: Any, name: str, site: int) -> None:
    found = find(type(thing), name)
    if found is not None and found[0].__flags__ & 1 << 9:
        reads = _reads_of(run, upto(type(thing), found[0]), name)
        run.visit(_READ, reads[0].target, site, None, reads[1:])


def _look_for_none(run: Any, thing: Any, name: str, site: int) -> None:
    """A store looks for a data descriptor in the classes, and finds none."""
    reads = _reads_of(run, upto(type(thing), None), name)
    if reads:
        run.visit(_READ, reads[0].target, site, None, reads[1:])


def _read_of_module(run: Any, thing: Any, name: str, site: int) -> None:
    kind = type(thing)
    more = () if kind is types.ModuleType else _reads_of(run, _deciding(thing, name), name)
    module_read(run, thing, name, site, more)


def _read_own(run: Any, thing: Any, name: str, site: int) -> None:
    """The running thread's own attribute is read, or that of a class if it has none."""
    _private_owner(type(thing)).__getattribute__(thing, "__dict__")  # may run the initialiser, which has its own steps
    _look_for_none(run, thing, name, site)


def _private_owner(kind: type) -> Any:
    """The class by which objects of a class have separate attributes for each thread, or None."""
    return next((each for each in bases(kind) if any(each is other for other in private)), None)


def _read_bound(run: Any, thing: Any, name: str, site: int) -> None:
    found = find(type(thing), name)
    _emit(run, thing, name, site, _READ, _reads_of(run, upto(type(thing), found and found[0]), name))


def _read_of_container(run: Any, thing: Any, _name: str, site: int) -> None:
    if is_a(thing, memoryview):
        run.visit(_READ, (OBJECT, number(thing)), site)  # which may be released
    else:
        perform(run, site, shape_of(type(thing)).operations["__iter__"], thing, site, ())


def _read_of_cell(run: Any, thing: Any, _name: str, site: int) -> None:
    target = (CELL, number(thing))
    if run.detail:
        run.names.setdefault(target, "cell_contents")
    run.visit(_READ, target, site)


def _report_when_called(_run: Any, _thing: Any, _name: str, _site: int) -> None:
    """The effects of the attribute read are reported when it is called."""


#: Reports that a ``weakref.finalize`` is looked at (:mod:`natives`).
finalisers: Final[list[Callable[[Any, Any, int], None]]] = []


def _read_dictionary(run: Any, thing: Any, _name: str, site: int) -> None:
    objects.adopt_namespace(thing)
    if root_of(type(thing).__module__) in harmless.MODELLED and has_concurrent_threads(run):
        count_untracked(run, f"{type(thing).__name__}.__dict__", site)


def _read_method(run: Any, _thing: Any, _name: str, _site: int) -> None:
    run.current.silent += 1


def _read_state(run: Any, thing: Any, _name: str, site: int) -> None:
    native_objects.access(run, thing, _READ, site)


def _read_computed(run: Any, thing: Any, name: str, site: int) -> None:
    if is_a(thing, weakref.finalize) and not run.is_recording:
        for report in finalisers:
            report(run, thing, site)
    if only_looks(type(thing), name):
        native_objects.access(run, thing, _READ, site)
    else:
        native_objects.access(run, thing, _RMW, site)
        foreign.count_if_shared(run, thing, name, site)


def _read_forwarded(run: Any, thing: Any, name: str, site: int) -> None:
    inner = stands_for(thing)
    read(run, inner, name, site, classify(type(inner), name))


def _read_of_frame(run: Any, frame: Any, name: str, site: int) -> None:
    if has_concurrent_threads(run) and not _is_running(frame):
        count_untracked(run, f"{name} of a frame", site)


def _read_beside_state(run: Any, thing: Any, name: str, site: int) -> None:
    perform(run, site, _look_beside_state, thing, name, site)


def _look_beside_state(run: Any, thing: Any, name: str, site: int) -> None:
    beside = () if native_objects.is_stream(type(thing)) else tuple(native_objects.accesses(thing, _READ))
    _emit(run, thing, name, site, _READ, (*beside, *_reads_of(run, _deciding(thing, name), name)))


def _deciding(thing: Any, name: str) -> tuple[type, ...]:
    """The classes that decide the value of an attribute that the instance may lack."""
    found, changes = find(type(thing), name), comes_and_goes(name)
    if found is None:
        return upto(type(thing), None) if changes else ()
    if name in objects.dictionary(thing) and not changes:
        return ()
    return upto(type(thing), found[0]) if found[0].__flags__ & 1 << 9 else ()


def _is_running(frame: types.FrameType) -> bool:
    """Whether a frame is the running thread's."""
    each: types.FrameType | None = sys._getframe(1)
    while each is not None and each is not frame:
        each = each.f_back
    return each is frame


def _read_of_bases(run: Any, thing: Any, name: str, site: int) -> None:
    """``super().name`` is about to be read, or called."""
    kind = thing.__self_class__
    if kind is None:
        return
    searched: list[type] = []
    owner: type | None = None
    for each in dropwhile(lambda each: each is not thing.__thisclass__, bases(kind)):
        if each is not thing.__thisclass__ and owner is None:
            searched.append(each)
            owner = each if name in each.__dict__ else None
    if owner is None or (is_a(owner.__dict__[name], METHODS) and not may_be_replaced(name)):
        return
    reads = _reads_of(run, tuple([each for each in searched if each.__flags__ & 1 << 9]), name)
    if reads:
        run.visit(_READ, reads[0].target, site, None, reads[1:])


def _get_in_c(run: Any, thing: Any, name: str, site: int) -> None:
    """A property's function in C is called, or code gets a dictionary that calls read without a step."""
    getter = getter_of(type(thing), name)
    if getter is not None:
        for report in calling:
            report(run, getter, site, (thing,), {})
        return
    if is_a(thing, functools.partial) and name == "keywords":
        consulted.hold_keywords(run, thing, site, index=-1)
        return
    text = f"{type(thing).__name__}.{name}, which calls read without a step,"
    count = functools.partial(count_untracked, run, text, site)
    owner = _private_owner(type(thing))
    if owner is not None:
        # No other thread has the dictionary, as long as its thread hands it to none.
        space = vars(owner)["__getattribute__"](thing, name)
        handed_objects.hand(run, [Access(_READ, (STRUCTURE, number(space)))], count)
    elif has_concurrent_threads(run):
        count()


def _emit(run: Any, thing: Any, name: str, site: int, op: Op, more: tuple[Access, ...] = ()) -> None:
    target = (ATTRIBUTE, number(thing), name)
    value = None
    if run.detail and (op is not _READ or run.shows(site)):
        if run.keyed:
            value = objects.peek(lambda: objects.own_attribute(thing, name), "")
        else:
            objects.label(run, target, thing, f".{name}")
            value = objects.peek(lambda: objects.peek_attribute(thing, name), run.names[target])
    if mortal and op is not _READ:
        more = (*more, *ends_of([objects.dictionary(thing).get(name)]))
    run.visit(op, target, site, value, more)


def _write_beside_state(run: Any, thing: Any, name: str, site: int, op: Op) -> None:
    there = name in objects.dictionary(thing)
    listed = () if there and op is _WRITE else (Access(_RMW, (STRUCTURE, -number(thing))),)
    _emit(run, thing, name, site, op, (*native_objects.accesses(thing, _RMW), *listed))


def _write_listed(run: Any, thing: Any, name: str, site: int, op: Op) -> None:
    there = name in objects.dictionary(thing)
    changed = () if there and op is _WRITE else (Access(_RMW, (STRUCTURE, -number(thing))),)
    if name == "__cause__":  # of an error
        changed = (*changed, Access(_WRITE, (ATTRIBUTE, number(thing), "__suppress_context__")))
    _emit(run, thing, name, site, _RMW, changed)


def write(run: Any, thing: Any, name: str, site: int, how: Any, op: Op = _WRITE) -> None:
    """An attribute is about to be stored, or deleted, that is not simply an attribute of the instance (`op` is RMW for
    a deletion, which fails if the attribute is not there)."""
    if how is OF_MODULE:
        module_write(run, thing, name, site, op)
        return
    how = _look_for_descriptors(run, thing, name, site, how)
    if name == "__class__":
        changed_code(run, thing, name, site)
        perform(run, site, _put_into_class, thing, site)
    if how is OF_CLASS:
        _change_class(run, thing, name, site, op)
    elif _is_method(how):
        how = _store_over(run, thing, name, site, how)
        if how is NONE:
            return
    shows = how is BOUND or how is BESIDE_STATE or is_a(how, type)
    if op is _RMW and shows and name in sites.stored_from_outside and find(type(thing), name):
        comes_or_goes(run, name)  # a thread that reads it meanwhile may find that of the class
    if name == "names" and native_objects.root_of_class(type(thing)) == "numpy" and has_concurrent_threads(run):
        count_untracked(run, f"assignment to {type(thing).__name__}.names", site)  # which arrays look at
    if type(how) is int and how in _WRITTEN_BY:
        _WRITTEN_BY[how](run, thing, name, site, op)
    elif shows and objects.is_listed(type(thing)):
        perform(run, site, _write_listed, thing, name, site, op)
    else:
        _emit(run, thing, name, site, op)
    if shows or how is INSTANCE or how is LISTED:
        _note_change(run, thing, name, site)


def _note_change(run: Any, thing: Any, name: str, site: int) -> None:
    """An attribute has been stored on which the equality of its object may rest."""
    key_fields.change(run, number(thing), type(thing), (name,), site, thing)
    if classification.is_part_of_value(type(thing), name) and has_concurrent_threads(run):
        count_untracked(run, f"assignment to {type(thing).__name__}.{name}", site)


def _look_for_descriptors(run: Any, thing: Any, name: str, site: int, how: Any) -> Any:
    """A store looks in the classes for a descriptor, where they may lose or get one; returns how the attribute is found
    from then on."""
    if type(how) is int and how in _BY_DESCRIPTOR and may_be_replaced(name):
        _look_up_descriptor(run, thing, name, site)
    elif (how is BOUND or how is BESIDE_STATE or is_a(how, type)) and comes_and_goes(name):
        _look_for_none(run, thing, name, site)
    else:
        return how
    return classify(type(thing), name)


def _write_own(run: Any, _thing: Any, _name: str, _site: int, _op: Op) -> None:
    run.current.silent += 1  # only the running thread has the attribute


def _write_forwarded(run: Any, thing: Any, name: str, site: int, op: Op) -> None:
    inner = stands_for(thing)
    write(run, inner, name, site, classify(type(inner), name), op)


def _write_state(run: Any, thing: Any, name: str, site: int, _op: Op) -> None:
    native_objects.access(run, thing, _RMW, site)
    foreign.count_if_shared(run, thing, name, site)


def _replace_dictionary(run: Any, thing: Any, _name: str, site: int, _op: Op) -> None:
    replace_all(run, thing, site)


def _write_in_class(run: Any, thing: Any, name: str, site: int, op: Op) -> None:
    is_new = op is _RMW or name not in type.__dict__["__dict__"].__get__(thing)
    _emit(run, thing, name, site, op, (Access(_RMW, (STRUCTURE, -number(thing))),) if is_new else ())
    if not run.is_recording and has_concurrent_threads(run):
        look_after_step(run, functools.partial(_look_for_descriptor, kind=thing, name=name, site=site))


def _in_one_step(step: Callable[..., None]) -> Callable[..., None]:
    return lambda run, thing, name, site, op: perform(run, site, step, thing, name, site, op)


def _change_class(run: Any, thing: Any, name: str, site: int, op: Op) -> None:
    """A class is about to get, or lose, an attribute."""
    changed_code(run, thing, name, site)
    if not (native_objects.is_ours(thing) or run.is_recording) and has_concurrent_threads(run):
        count_untracked(run, f"assignment to {thing.__name__}.{name}", site)
    if not run.is_recording and has_concurrent_threads(run) and _is_asked_for(name):
        count_untracked(
            run, f"assignment to {thing.__name__}.{name}, which issubclass() with a protocol may ask for,", site
        )
    space = type.__dict__["__dict__"].__get__(thing)
    if type(space.get(name)) is types.MemberDescriptorType and has_concurrent_threads(run):
        count_untracked(run, f"assignment to {thing.__name__}.{name}, a slot,", site)
    if name not in space or op is _RMW or name not in sites.stored_from_outside:
        comes_or_goes(run, name)
    if name not in space or is_a(space[name], METHODS) or find(type(space[name]), "__get__"):
        forget_shapes()


def _is_asked_for(name: str) -> bool:
    """Whether a protocol of the program that is checked while it runs has an attribute of that name."""
    typing = sys.modules.get("typing")
    if name.startswith("__"):
        return False  # changes of special methods are looked at in any case
    protocols = typing.Protocol.__subclasses__() if typing is not None else ()
    return any(name in vars(each) for each in protocols if getattr(each, "_is_runtime_protocol", False))


def _look_for_descriptor(run: Any, kind: type, name: str, site: int) -> None:
    """A class may have got a data descriptor, which decides the effect of stores in instances without a reported
    read."""
    if is_data_descriptor(type.__dict__["__dict__"].__get__(kind).get(name)):
        forget_shapes()
        count_untracked(run, f"assignment of a descriptor to {kind.__name__}.{name}", site)


def _store_over(run: Any, thing: Any, name: str, site: int, how: Any) -> Any:
    """An attribute is about to be stored, or deleted, under a name that the class has a method or a descriptor for.
    Returns how the attribute is found from now on, if it is one of the instance, or else NONE."""
    found = find(type(thing), name)
    if found is not None and is_a(found[1], METHODS) and name not in sites.stored:
        comes_or_goes(run, name)  # it hides the method of the class
        how = classify(type(thing), name)
    if not _is_method(how):
        return how
    of_container = how is CONTAINER and has_concurrent_threads(run)  # whose operations look in the class only
    if of_container or (found and type(found[1]) in _FIELDS and shape_of(type(thing)).base is not None):
        count_untracked(run, f"assignment to {type(thing).__name__}.{name}", site)
    if found is not None and how is PROPERTY:
        _store_in_c(run, thing, found[1], site)
    if found is None or type(found[1]) is not property:  # the code of a property would report
        run.current.silent += 1
        if name != "__class__":
            changed_code(run, thing, name, site)
    return NONE


def _store_in_c(run: Any, thing: Any, descriptor: Any, site: int) -> None:
    """An attribute is stored by a descriptor, whose `__set__` may be a method in C of another object."""
    setter = find(type(descriptor), "__set__")
    if setter is not None and type(setter[1]) in BUILTIN_METHODS:
        for report in calling:
            report(run, setter[1], site, (thing, None), {})


#: The descriptors of classes in C for parts of their objects.
_FIELDS: Final = frozenset((types.MemberDescriptorType, types.GetSetDescriptorType))


def _is_method(how: Any) -> bool:
    return (
        how is GOT_IN_C
        or how is OF_FRAME
        or how is OF_CELL
        or how is NONE
        or how is FOREIGN
        or how is OPAQUE
        or how is CONTAINER
        or how is REMADE
        or how is PROPERTY
    )


def replace_all(run: Any, thing: Any, site: int, space: dict[str, Any] | None = None, untouched: bool = False) -> None:
    """Another dictionary is about to be put in the place of an instance's: all its known attributes are written.

    ``space`` is the new one, if it is known. If no thread has touched it, nor the instance, its items are the
    attributes from now on; otherwise accesses to either dictionary are untracked.
    """
    fresh = untouched and id(thing) not in objects.numbers
    perform(run, site, _write_all, thing, site, space, fresh)
    key_fields.change(run, number(thing), type(thing), objects.dictionary(thing), site, thing)
    if not fresh:
        count_untracked(run, f"assignment to {type(thing).__name__}.__dict__", site)


def _write_all(run: Any, thing: Any, site: int, space: dict[str, Any] | None, fresh: bool) -> None:
    names = [name for name in (*objects.dictionary(thing), *(space or ())) if type(name) is str]
    known = _known_attributes(run, thing, names)
    for name in names:
        if name not in sites.stored:
            comes_or_goes(run, name)  # it may hide the class's attribute
    if fresh:
        objects.adopt_dictionary(thing, space)
    _replace(run, thing, "__dict__", site, known)


def _known_attributes(run: Any, thing: Any, names: Iterable[str]) -> tuple[Access, ...]:
    """Writes of the attributes of an instance that have these names, or were accessed in this run."""
    n = number(thing)
    known = {target for target in run.touched if kind_of(target) is Kind.ATTRIBUTE and target[1] == n}
    known.update([(ATTRIBUTE, n, name) for name in names])
    return tuple([Access(_WRITE, target) for target in sorted(known, key=repr)])


def _put_into_class(run: Any, thing: Any, site: int) -> None:
    """Another class is about to be given to an instance, by which attributes that its dictionary lacks are found from
    now on. Calls and operators read no class, so this is untracked; but look-ups come before or after it."""
    if run.is_recording or is_a(thing, (type, types.ModuleType)) or not has_concurrent_threads(run):
        return
    had = [name for each in upto(type(thing), None) for name in vars(each) if not name.startswith("__")]
    for name in had:
        comes_or_goes(run, name)
    own = objects.dictionary(thing)
    known = [each for each in _known_attributes(run, thing, had) if each.target[2] not in own]
    _replace(run, thing, "__class__", site, tuple(known))


def _replace(run: Any, thing: Any, name: str, site: int, known: tuple[Access, ...]) -> None:
    """Pass the step that replaces the dictionary or the class of an instance, and with it all known attributes."""
    target = (ATTRIBUTE, number(thing), name)
    if run.detail:
        objects.label(run, target, thing, f".{name}")
    run.visit(_RMW, target, site, None, (Access(_RMW, (STRUCTURE, -number(thing))), *known))


#: The tables of an enumeration, which grow where combinations of its flags are made.
_OF_ENUMERATIONS: Final = frozenset({"_value2member_map_", "_member_map_", "_member_names_"})


def _class_read(run: Any, thing: Any, name: str, site: int) -> None:
    if name in _OF_ENUMERATIONS and type(thing) is EnumType and has_concurrent_threads(run):
        count_untracked(run, f"{thing.__name__}.{name}", site)
    owners = _owners_of(thing, name)
    if owners:
        _emit(run, owners[0], name, site, _READ, _reads_of(run, owners[1:], name))


def _reads_of(run: Any, kinds: tuple[type, ...], name: str) -> tuple[Access, ...]:
    """Reads of an attribute of these classes."""
    if run.detail:
        for kind in kinds:
            objects.label(run, (ATTRIBUTE, number(kind), name), kind, f".{name}")
    return tuple([Access(_READ, (ATTRIBUTE, number(kind), name)) for kind in kinds])


def owner_of(kind: type, name: str) -> Any:
    """The class that alone decides the value of attribute ``name`` of class ``kind``: NONE if the value never changes,
    None if several classes decide it. Remembered, for code that always reports its changes of a class."""
    own = shape_of(kind).own
    if name not in own:
        owners = _owners_of(kind, name)
        own[name] = NONE if not owners else owners[0] if len(owners) == 1 else None
    return own[name]


def _owners_of(kind: type, name: str) -> tuple[type, ...]:
    """The classes that decide the value of attribute ``name`` of class ``kind``: those up to the one that has it, or
    all if none has it, since any of them may get it. None of them if the value never changes."""
    if (name.startswith("__") and name.endswith("__")) or _is_member(kind, name):
        return ()
    found = find(kind, name)
    above = find(type(kind), name) if found is None else None
    known = found or above
    if known and (is_a(known[1], CONSTANT) or find(type(known[1]), "__get__")) and not may_be_replaced(name):
        return ()
    if found is not None:
        return upto(kind, found[0])
    return (*upto(kind, None), *upto(type(kind), above[0] if above else None))


def _is_member(kind: type, name: str) -> bool:
    """Whether an attribute is a member of an enumeration, which no code replaces."""
    return issubclass(type(kind), EnumType) and name in kind.__dict__.get("_member_map_", ())


def upto(kind: type, owner: type | None) -> tuple[type, ...]:
    """The classes of instances of ``kind`` that belong to the program, up to ``owner``."""
    found: list[type] = []
    for each in bases(kind):
        if each.__flags__ & 1 << 9:
            found.append(each)
        if each is owner:
            break
    return tuple(found)


#: Attributes of functions, cells, classes and instances that decide the effects of calls.
_OF_CODE: Final = frozenset(
    """__code__ __defaults__ __kwdefaults__ __bases__ cell_contents __class__ __name__ __qualname__ __doc__
    __annotations__ __module__ tb_next f_lineno f_trace _value_ _name_""".split()
)


def changed_code(run: Any, thing: Any, name: str, site: int) -> None:
    """A function's code may be about to change: calls of the function report no read of it."""
    special = is_a(thing, type) and name.startswith("__") and name.endswith("__")
    if (special or name in _OF_CODE) and has_concurrent_threads(run) and not run.is_recording:
        count = functools.partial(count_untracked, run, f"assignment to {name} of {type(thing).__name__}", site)
        if special and private_classes.is_own(run, thing):
            private_classes.change(run, thing, count)
        else:
            count()


_READ_BY: Final[dict[int, Callable[[Any, Any, str, int], None]]] = {
    OF_MODULE: _read_of_module,
    OF_CLASS: _class_read,
    DICTIONARY: _read_dictionary,
    FOREIGN: _read_method,
    **dict.fromkeys((OPAQUE, CONTAINER, REMADE, PROPERTY), _report_when_called),
    STATE: _read_state,
    COMPUTED: _read_computed,
    GOT_IN_C: _get_in_c,
    OF_BASES: _read_of_bases,
    OF_CLASSES: _read_own,
    FORWARDED: _read_forwarded,
    OF_FRAME: _read_of_frame,
    OF_CELL: _read_of_cell,
    OF_CONTAINER: _read_of_container,
    BOUND: _read_bound,
    BESIDE_STATE: _read_beside_state,
}

_WRITTEN_BY: Final[dict[int, Callable[[Any, Any, str, int, Op], None]]] = {
    OF_CLASS: _write_in_class,
    OF_CLASSES: _write_own,
    FORWARDED: _write_forwarded,
    **dict.fromkeys((STATE, COMPUTED), _write_state),
    BESIDE_STATE: _in_one_step(_write_beside_state),
    LISTED: _in_one_step(_write_listed),
    DICTIONARY: _replace_dictionary,
}
