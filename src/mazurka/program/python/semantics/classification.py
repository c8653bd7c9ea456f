"""How an attribute is found, which decides the location that an access to it touches (:mod:`attributes`).

Results are kept by class and name, and forgotten between runs.

Cost: two dictionary look-ups for an attribute seen before.
"""

from __future__ import annotations

import enum
import functools
import re
import struct
import types
from contextvars import ContextVar
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import deep_access, harmless, key_fields, native_objects, objects, views
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS, root_of
from mazurka.program.python.semantics.locations import BASES, bases
from mazurka.program.python.semantics.native_objects import state_of
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.shapes import comes_and_goes, shapes

#: How an attribute of instances of a class is found; any other entry is the class whose value shows through.
NONE: Final = 0
INSTANCE: Final = 1
DICTIONARY: Final = 3
OF_CLASS: Final = 4
OF_MODULE: Final = 5
OPAQUE: Final = 6  # a method written in Python that is not instrumented
FOREIGN: Final = 7  # a method in C of an object with a state: a file, a generator
STATE: Final = 8  # part of an object's state, which C computes
COMPUTED: Final = 9  # computed by a property or ``__getattr__`` that is not instrumented
BESIDE_STATE: Final = 10  # the instance's, or a class's, attribute; methods that are not instrumented may look at it
CONTAINER: Final = 11  # a method of a container, see containers.py
GOT_IN_C: Final = 13  # the result of a property whose function is in C
REMADE: Final = 14  # an initialiser in C of an object that otherwise never changes
PROPERTY: Final = 15  # the result of code that reports its own steps
OF_BASES: Final = 17  # by way of `super`: an attribute of the base classes of a class
FORWARDED: Final = 18  # an attribute that a bound method, or a class with parameters, has from its function or class
OF_FRAME: Final = 19  # attributes that change while a frame runs
OF_CELL: Final = 20  # a variable of a closure
BOUND: Final = 21  # the instance's, or computed by a descriptor without a store, which its class may lose or get
OF_CLASSES: Final = 16  # the running thread's own, or else that of a class, which another thread may replace
OF_CONTAINER: Final = 22  # the result of a property of a container of the library, or of a view
LISTED: Final = 12  # the instance's: a store changes more, such as the set of attributes, if that is looked at

METHODS: Final = (
    types.FunctionType,
    classmethod,
    staticmethod,
    *BUILTIN_METHODS,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodType,
    type,
)
_NATIVE: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)

#: Classes of attributes of modules and classes that are not taken for variables.
CONSTANT: Final = (*METHODS, types.ModuleType)

#: Attributes of callables that hold a dictionary which calls read -> the classes of these callables.
_PARTS_OF_CODE: Final[dict[str, tuple[type, ...]]] = {
    "__kwdefaults__": (types.FunctionType,),
    "keywords": (functools.partial, functools.partialmethod),
}

#: Classes of the models whose attributes exist once for each thread.
private: set[type] = set()


def find(kind: type, name: str) -> tuple[type, Any] | None:
    """The class that has an attribute of instances of ``kind``, and the object there."""
    for each in bases(kind):
        space = type.__dict__["__dict__"].__get__(each)
        if name in space:
            return each, space[name]
    return None


def classify(kind: type, name: str) -> Any:
    """How attribute ``name`` of instances of ``kind`` is found; remembered."""
    attributes = (shapes.get(id(kind)) or shape_of(kind)).attributes
    found = attributes.get(name)
    if found is None:
        found = _classify_apart(kind, name) or _classify(kind, name)
        if found is INSTANCE and (objects.is_listed(kind) or _rests_on(kind, name)):
            found = LISTED
        attributes[name] = found
    return found


def _rests_on(kind: type, name: str) -> bool:
    """Whether the equality of an object rests on an attribute, though it may be assigned to."""
    compared = key_fields.compared_by(kind)
    return (compared is not None and name in compared) or is_part_of_value(kind, name)


def is_part_of_value(kind: type, name: str) -> bool:
    """Whether an attribute is a slot of a class in Python whose objects never change."""
    found = find(kind, name)
    if found is None or type(found[1]) is not types.MemberDescriptorType:
        return False
    return harmless.is_value_type(found[0])


def sees_stores(kind: type) -> bool:
    """Whether code of the program may run when an attribute of an instance is stored."""
    own = shape_of(kind).own
    found = own.get(_SEES_STORES)
    if found is None:
        stores = find(kind, "__setattr__")
        found = own[_SEES_STORES] = stores is not None and bool(stores[0].__flags__ & 1 << 9)
    return bool(found)


#: In `Shape.own`, beside names of attributes.
_SEES_STORES: Final = " stores"


def _classify_apart(kind: type, name: str) -> int:
    """How an attribute is found that no rule about classes covers: one of a stand-in for another object, or one that
    calls read. Otherwise NONE."""
    if native_objects.is_proxy(kind) and not _is_own(kind, name):
        return STATE
    if kind is super:
        return OF_BASES
    if name == "__dir__" or (type(kind) is type and kind in views.LAZY):  # a metaclass may have no hash
        return OPAQUE
    if name in deep_access.DESCRIBING and any(each is other for each in bases(kind) for other in deep_access.SHOWING):
        return OPAQUE  # the method describes the objects that the object holds
    if describes_by_repr(kind, name) and not harmless.is_value_type(kind):
        return OPAQUE  # the method describes the object by another method
    if _is_forwarded(kind, name):
        return FORWARDED
    if kind is types.FrameType and name in _OF_FRAMES:
        return OF_FRAME
    if kind is types.CellType and name == "cell_contents":
        return OF_CELL
    if issubclass(kind, BaseException) and (name in _OF_ERRORS or _is_part(kind, name)):
        return LISTED if name == "__cause__" else INSTANCE
    if name in _OF_MEMBERS and type(kind) is enum.EnumType:
        return GOT_IN_C
    if name == "__dict__" and any(each is other for each in bases(kind) for other in private):
        return GOT_IN_C
    owners = _PARTS_OF_CODE.get(name)
    return GOT_IN_C if owners and any(each is owner for each in bases(kind) for owner in owners) else NONE


def _is_own(kind: type, name: str) -> bool:
    """Whether a class has a function of that name that is instrumented."""
    found = find(kind, name)
    return found is not None and type(found[1]) is types.FunctionType and is_instrumented(found[1])


#: The attributes of members of enumerations that their methods read.
_OF_MEMBERS: Final = frozenset({"_value_", "_name_"})
#: Attributes of a frame that change while it runs, and of errors that change where they are raised.
_OF_FRAMES: Final = frozenset({"f_locals", "f_lineno", "f_lasti", "f_trace"})
_OF_ERRORS: Final = frozenset({"__traceback__", "__context__", "__cause__", "args"})


def _is_part(kind: type, name: str) -> bool:
    """Whether an attribute of an error is a field of its C structure."""
    found = None if name == "__dict__" else find(kind, name)
    if found is None or found[0] is object:
        return False
    return not found[0].__flags__ & 1 << 9 and type(found[1]) in _FIELDS


_FIELDS: Final = frozenset({types.MemberDescriptorType, types.GetSetDescriptorType})


def _is_forwarded(kind: type, name: str) -> bool:
    """Whether a stand-in for a function or class has its attribute from that function or class."""
    if kind is types.MethodType or kind is types.GenericAlias:
        return not name.startswith("__")
    return is_alias_of_typing(kind) and not name.startswith("_")


def is_alias_of_typing(kind: type) -> bool:
    """Whether objects of a class stand for classes with parameters, as `typing.List` and `typing.List[int]` do."""
    return kind.__module__ == "typing" and kind.__name__ in ("_GenericAlias", "_SpecialGenericAlias")


def describes_by_repr(kind: type, name: str) -> bool:
    """Whether a method is that of `object` which asks the object's ``__repr__``."""
    return name in ("__str__", "__format__") and (found := find(kind, name)) is not None and found[0] is object


def stands_for(thing: Any) -> Any:
    """The function of a method, or the class of an alias."""
    return thing.__func__ if type(thing) is types.MethodType else thing.__origin__


def _classify(kind: type, name: str) -> Any:
    for each in bases(kind):
        if each is type:
            return DICTIONARY if name == "__dict__" else OF_CLASS
        if each is types.ModuleType:
            return OF_MODULE
    if _is_private(kind):
        return _of_private(kind, name)
    if name in shape_of(kind).operations:
        return CONTAINER
    has_dictionary = bool(type.__dict__["__dictoffset__"].__get__(kind))
    found = find(kind, name)
    state = state_of(kind)
    in_instance = (INSTANCE if state is native_objects.NOTHING else BESIDE_STATE) if has_dictionary else NONE
    if name == "__dict__":
        return DICTIONARY if has_dictionary else NONE
    if found is None:
        # Any class may get it; where the instance may have it beside a state in C, reading that looks at the classes.
        comes = in_instance is not BESIDE_STATE and comes_and_goes(name)
        if _is_computed_elsewhere(kind):
            return COMPUTED
        return object if comes else in_instance or _of_others(kind, name)
    owner, value = found
    if is_a(value, METHODS):
        how = _method(owner, value, state)
        if not (name in sites.stored or comes_and_goes(name)) or not (
            how is NONE or (how is OPAQUE and has_dictionary)
        ):
            return how
        if may_be_replaced(name) and owner.__flags__ & 1 << 9:
            return BESIDE_STATE if in_instance is BESIDE_STATE else owner  # code may give the class another one
        return in_instance if has_dictionary else how
    if type(value) is types.MemberDescriptorType:
        return in_instance or INSTANCE if native_objects.is_in_python(owner) else STATE if state else NONE
    if is_data_descriptor(value):
        how = _computed(value, state)
        return OF_CONTAINER if how is PROPERTY and _is_of_container(kind, value) else how
    if find(type(value), "__get__"):
        in_c = GOT_IN_C if _is_cached_in_c(value) else _bound_natively(type(value)) if state else None
        is_lost = may_be_replaced(name) and owner.__flags__ & 1 << 9 and state is native_objects.NOTHING
        return in_c or (BOUND if is_lost else in_instance)
    return BESIDE_STATE if in_instance is BESIDE_STATE else owner


def _is_private(kind: type) -> bool:
    """Whether objects of a class have separate attributes for each thread."""
    return any(each is other for each in bases(kind) for other in private)  # a metaclass may define equality


def _of_private(kind: type, name: str) -> int:
    """How an attribute is found that each thread has of its own, unless only a class has it."""
    found = find(kind, name)
    if found is None or not found[0].__flags__ & 1 << 9:
        return OF_CLASSES if comes_and_goes(name) else _of_others(kind, name)
    if is_a(found[1], METHODS) or find(type(found[1]), "__get__"):
        return OF_CLASSES if may_be_replaced(name) else NONE
    return OF_CLASSES


def _of_others(kind: type, name: str) -> int:
    """How an attribute is found that only ``__getattr__`` of a class may return, possibly another object's method."""
    return PROPERTY if find(kind, name) is None and find(kind, "__getattr__") is not None else NONE


def is_data_descriptor(value: Any) -> bool:
    """Whether an attribute of a class decides the effect of a store in an instance."""
    return bool(find(type(value), "__set__") or find(type(value), "__delete__"))


def may_be_replaced(name: str) -> bool:
    """Whether a class's attribute of that name may be replaced."""
    return name in sites.stored_from_outside or comes_and_goes(name)


def _bound_natively(descriptor: type) -> Any:
    """How the result of a descriptor in C of an unknown class is found, like Cython's methods; or None."""
    if native_objects.is_in_python(descriptor) or harmless.is_harmless_type(descriptor):
        return None
    return FOREIGN if find(descriptor, "__call__") else STATE


def _method(owner: type, value: Any, state: int) -> int:
    """How a function, or method in C, of a class counts when it is called."""
    inner: Any = value.__func__ if (type(value) is classmethod or type(value) is staticmethod) else value
    if type(inner) is types.FunctionType:
        if is_instrumented(inner) or root_of(inner.__module__) in harmless.MODELLED:
            return NONE
        quiet = harmless.is_transparent(inner) and harmless.is_harmless_type(owner)
        return NONE if quiet and not harmless.is_untraceable(inner.__module__, inner.__qualname__) else OPAQUE
    if type(inner) in BUILTIN_METHODS or type(inner) is types.ClassMethodDescriptorType:
        return OPAQUE  # of another object, or of none: its effects are reported when it is called
    if is_a(inner, _NATIVE) and shape_of(inner.__objclass__).base is not None:
        return OPAQUE  # a container's, under another name
    if is_a(inner, _NATIVE) and (inner.__name__ in HANDING_OUT or (inner.__name__, inner.__objclass__) in _GOING_IN):
        return OPAQUE
    if is_a(inner, _NATIVE) and changes_arguments(inner.__objclass__, inner.__name__):
        return OPAQUE
    if is_a(inner, _NATIVE) and (inner.__objclass__ is tuple or inner.__objclass__ is frozenset):
        return OPAQUE  # it may go into the elements
    if is_a(inner, _NATIVE) and inner.__name__ == "__call__" and inner.__objclass__ is not type:
        return OPAQUE
    if is_a(inner, _NATIVE) and issubclass(inner.__objclass__, BaseException):
        return OPAQUE
    if is_a(inner, _NATIVE) and owner is not object:
        if inner.__name__ in REMAKING and not state_of(owner):
            return REMADE
        if owner is struct.Struct:
            return OPAQUE  # the buffer that it packs into, or unpacks, has a state
        return FOREIGN if state_of(owner) else NONE
    return NONE


#: Functions in C that may return the dictionary of an instance that they are called with.
HANDING_OUT: Final = frozenset("__reduce_ex__ __reduce__ __getstate__ __getattribute__ __get__".split())

#: Methods in C of immutable objects that use their arguments.
_GOING_IN: Final = frozenset(
    [(name, re.Pattern) for name in "search match fullmatch split findall finditer sub subn".split()]
)


def changes_arguments(owner: type, name: str) -> bool:
    """Whether a method in C of a class whose objects never change may change its arguments: ``ContextVar.reset`` uses
    up a token, and calculations with a decimal context set its flags."""
    if owner is ContextVar:
        return name == "reset"
    return owner.__name__ == "Decimal" and owner.__module__ == "decimal"


#: Methods that initialise an object again, which is otherwise never changed.
REMAKING: Final = frozenset({"__init__", "__setstate__"})


def _computed(value: Any, state: int) -> int:
    """How the value of a data descriptor is found."""
    if type(value) is property:
        if value.fget is not None and type(value.fget) is not types.FunctionType:
            return GOT_IN_C
        functions = [each for each in (value.fget, value.fset, value.fdel) if type(each) is types.FunctionType]
        opaque = [each for each in functions if not is_instrumented(each)]
        modelled = all(root_of(each.__module__) in harmless.MODELLED for each in opaque)
        return COMPUTED if opaque and not modelled and state is native_objects.FOREIGN else PROPERTY
    if type(value) is types.GetSetDescriptorType:
        return STATE if state else PROPERTY
    if type(value) is enum.property and type(value.fget) is types.FunctionType and value.fget.__module__ == "enum":
        return PROPERTY  # a member's name or value, see `_OF_MEMBERS`
    found = find(type(value), "__get__")
    if found is not None and type(found[1]) is types.FunctionType and not is_instrumented(found[1]):
        return PROPERTY if root_of(found[1].__module__) in harmless.MODELLED else COMPUTED
    return STATE if state and not native_objects.is_in_python(type(value)) else PROPERTY  # a field of a C structure


def _is_of_container(kind: type, value: Any) -> bool:
    """Whether a data descriptor looks at a container: a property by a function of the library, or a field of a view."""
    if type(value) is types.GetSetDescriptorType:
        return kind is memoryview
    getter = value.fget if type(value) is property else None
    if type(getter) is not types.FunctionType or is_instrumented(getter) or shape_of(kind).base in BASES:
        return False
    return "__iter__" in shape_of(kind).operations


def getter_of(kind: type, name: str) -> Any:
    """The function of a property."""
    found = find(kind, name)
    return found[1].fget if found is not None and type(found[1]) is property else None


def _is_cached_in_c(value: Any) -> bool:
    return type(value) is functools.cached_property and type(value.func) is not types.FunctionType


def only_looks(kind: type, name: str) -> bool:
    """Whether a property only looks at its object."""
    getter = getter_of(kind, name)
    return type(getter) is types.FunctionType and harmless.is_pure_python(getter.__module__, getter.__qualname__)


def _is_computed_elsewhere(kind: type) -> bool:
    """Whether a missing attribute is computed by a function that is not instrumented."""
    found = find(kind, "__getattr__")
    return found is not None and type(found[1]) is types.FunctionType and not is_instrumented(found[1])


#: Classes of attributes of a class that return the instance's own attribute of that name, and how to recognise them.
_BINDING: Final = (
    *(types.FunctionType, staticmethod, classmethod, functools.partialmethod, types.MemberDescriptorType),
    *_NATIVE,
)


def is_computed(thing: Any, name: str) -> bool:
    """Whether a method has to be looked up to be classified, since code of the program returns it."""
    kind = type(thing)
    if kind is super or kind is types.MemberDescriptorType or kind is str or kind is bytes:
        return False
    how = classify(kind, name)
    if how is NONE or how is FOREIGN or how is OPAQUE or how is CONTAINER:
        return False
    found = objects.peek_attribute(thing, name)
    if found is objects.MISSING:
        return True
    kind = type(found)
    if any(kind is each for each in _BINDING):
        return False
    if any(each.__name__ == "partial" and each.__module__ == "functools" for each in bases(kind)):
        return False  # it is called without being bound, and from 3.13 on it warns about the place of the call
    return hasattr(kind, "__get__")


def is_instrumented(function: types.FunctionType) -> bool:
    """Whether a function's steps are tracked."""
    return function.__code__.co_filename in sites.instrumented
