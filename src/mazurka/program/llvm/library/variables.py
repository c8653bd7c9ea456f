"""The variables that the libraries of C and C++ define.

Source: the Itanium C++ ABI, 2.9, for type information.
"""

from __future__ import annotations

from typing import Final

_ABI: Final = "_ZTVN10__cxxabiv1"

#: The virtual tables of the information on classes with one base class, on those with several, and on pointers.
SINGLE: Final = f"{_ABI}20__si_class_type_infoE"
MULTIPLE: Final = f"{_ABI}21__vmi_class_type_infoE"
POINTERS: Final = f"{_ABI}19__pointer_type_infoE"

#: The standard streams, by their descriptors.
STREAMS: Final = ("stdin", "stdout", "stderr")

#: The names of the variable that leads to the environment, which is empty at first.
ENVIRONMENTS: Final = ("environ", "__environ", "_environ")

#: Variables of C with their first values, in the sizes that the program declares; those of C++ with their sizes.
C_VARIABLES: Final = {
    **dict.fromkeys((*STREAMS, *ENVIRONMENTS, "optarg", "program_invocation_name", "program_invocation_short_name"), 0),
    "optind": 1,
    "opterr": 1,
    "optopt": ord("?"),
}
CPP_VARIABLES: Final = {
    **dict.fromkeys((SINGLE, MULTIPLE, POINTERS), 88),
    **dict.fromkeys((f"{_ABI}{each}E" for each in ("17__class_type_info", "16__enum_type_info")), 88),
    **{f"_ZTI{how}{each}": 32 for how in ("", "P", "PK") for each in ("Dn", *"vwbcahstijlmxynofdeg")},
    "_ZSt7nothrow": 1,
    "__dso_handle": 8,
}

#: The size of a stream, whose bytes are zero: so macros that look into it find no buffer, and call a function.
STREAM_SIZE: Final = 216
