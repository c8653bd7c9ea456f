"""Functions of the C library, and of LLVM's own, that native code has instructions for.

They are those of :mod:`mazurka.program.llvm.library.numbers` whose results are exact, or rounded correctly. Where a
result is no number, native code leaves.
"""

from __future__ import annotations

from typing import Final

_BITS: Final = (8, 16, 32, 64)

#: Of integers: by name, the type, LLVM's function, and its last arguments.
INTEGERS: Final[dict[str, tuple[str, str, str]]] = {
    **{
        f"llvm.{name}.i{bits}": (f"i{bits}", f"@llvm.{name}.i{bits}", "")
        for name in ("smax", "smin", "umax", "umin", "ctpop", "fshl", "fshr")
        for bits in _BITS
    },
    **{
        f"llvm.{name}.i{bits}": (f"i{bits}", f"@llvm.{name}.i{bits}", ", i1 0")
        for name in ("abs", "ctlz", "cttz")
        for bits in _BITS
    },
    "abs": ("i32", "@llvm.abs.i32", ", i1 0"),
    "labs": ("i64", "@llvm.abs.i64", ", i1 0"),
}

#: How many of the arguments count, where not all do.
COUNTED: Final = {name: 1 for name, (_, _, last) in INTEGERS.items() if last}

#: Of floats: by name, the type and the function; ``fmuladd`` is a product and a sum.
FLOATS: Final[dict[str, tuple[str, str]]] = {
    "fabs": ("double", "@llvm.fabs.f64"),
    "llvm.fabs.f64": ("double", "@llvm.fabs.f64"),
    "fabsf": ("float", "@llvm.fabs.f32"),
    "llvm.fabs.f32": ("float", "@llvm.fabs.f32"),
    "sqrt": ("double", "@llvm.sqrt.f64"),
    "llvm.sqrt.f64": ("double", "@llvm.sqrt.f64"),
    "sqrtf": ("float", "@llvm.sqrt.f32"),
    "llvm.sqrt.f32": ("float", "@llvm.sqrt.f32"),
    "llvm.fmuladd.f64": ("double", "fmuladd"),
    "llvm.fmuladd.f32": ("float", "fmuladd"),
}

DECLARATIONS: Final = "\n".join(
    (
        "declare void @llvm.trap()",
        "declare i1 @llvm.umin.i1(i1, i1)",
        *(
            f"declare i{bits} @llvm.{name}.i{bits}(i{bits}, i{bits})"
            for name in ("smax", "smin", "umax", "umin")
            for bits in _BITS
        ),
        *(
            f"declare i{bits} @llvm.{name}.i{bits}(i{bits}, i{bits}, i{bits})"
            for name in ("fshl", "fshr")
            for bits in _BITS
        ),
        *(f"declare i{bits} @llvm.{name}.i{bits}(i{bits}, i1)" for name in ("abs", "ctlz", "cttz") for bits in _BITS),
        *(f"declare i{bits} @llvm.ctpop.i{bits}(i{bits})" for bits in _BITS),
        *(
            f"declare {type_} @llvm.{name}.{short}({type_})"
            for name in ("fabs", "sqrt")
            for type_, short in (("double", "f64"), ("float", "f32"))
        ),
    )
)
