"""The parts of C++'s standard library that are no templates: compiled from the sources in the ``ziglang`` wheel, and
linked to programs that need them.

Only the files are linked that define a symbol which the program lacks; they are found by the symbols' names.

Cost: half a second to three for a file, once for a version of the wheel; then milliseconds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mazurka.program.llvm.compiling import compiled, verified
from mazurka.program.state_folder import cache_folder

_EXCEPTIONS: Final = "logic|runtime|domain|length|range|overflow|underflow"

#: Files by regular expressions for the mangled names of the symbols that they define.
_FILES: Final = tuple(
    (re.compile(pattern), files)
    for pattern, files in (
        (
            rf"St\d+(({_EXCEPTIONS})_error|invalid_argument|out_of_range)",
            ("libcxxabi/src/stdlib_stdexcept.cpp", "libcxx/src/stdexcept.cpp"),
        ),
        (r"St(9exception|13bad_exception|9bad_alloc|20bad_array_new_length)", ("libcxxabi/src/stdlib_exception.cpp",)),
        (r"St(9type_info|8bad_cast|10bad_typeid)", ("libcxxabi/src/stdlib_typeinfo.cpp",)),
        (r"13exception_ptr|exceptionv|17rethrow_exception|19uncaught_exceptions", ("libcxx/src/exception.cpp",)),
        (
            r"St3__1\d+(recursive_|timed_|recursive_timed_)?mutex",
            ("libcxx/src/mutex.cpp", "libcxx/src/mutex_destructor.cpp"),
        ),
        (
            "18condition_variable",
            ("libcxx/src/condition_variable.cpp", "libcxx/src/condition_variable_destructor.cpp"),
        ),
        ("6thread|11this_thread|19__thread_local_data|15__thread_struct", ("libcxx/src/thread.cpp",)),
        ("shared_mutex_base|18shared_timed_mutex", ("libcxx/src/shared_mutex.cpp",)),
        ("14__shared_count|19__shared_weak_count|12bad_weak_ptr", ("libcxx/src/memory.cpp",)),
        ("__assoc_sub_state|12future_error|15future_category|7promiseIv|6futureIv", ("libcxx/src/future.cpp",)),
        ("11__call_once", ("libcxx/src/call_once.cpp",)),
        (r"system_error|system_category|generic_category", ("libcxx/src/system_error.cpp",)),
        ("error_category", ("libcxx/src/error_category.cpp",)),
        (r"12basic_string|9to_string|4sto[idfl]|5sto", ("libcxx/src/string.cpp",)),
        ("6chrono", ("libcxx/src/chrono.cpp",)),
        ("barrier", ("libcxx/src/barrier.cpp",)),
        (r"6__sortI", ("libcxx/src/algorithm.cpp",)),
        ("12__next_prime", ("libcxx/src/hash.cpp",)),
        ("12bad_any_cast", ("libcxx/src/any.cpp",)),
        ("17bad_function_call", ("libcxx/src/functional.cpp",)),
        ("19bad_optional_access", ("libcxx/src/optional.cpp",)),
        ("18bad_variant_access", ("libcxx/src/variant.cpp",)),
        ("17__throw_bad_alloc", ("libcxx/src/new_helpers.cpp",)),
        ("15memory_resource", ("libcxx/src/memory_resource.cpp",)),
        (r"St3__1\d(cout|cin|cerr|clog)E", ("libcxx/src/iostream.cpp",)),
        ("8ios_base|17iostream_category|9basic_ios", ("libcxx/src/ios.cpp",)),
        (
            r"basic_(i|o|io)stream|basic_streambuf|basic_(i|o)?stringstream|basic_stringbuf|basic_ios",
            ("libcxx/src/ios.instantiations.cpp",),
        ),
        (
            "6locale|ctype|7codecvt|8numpunct|7num_[gp][eu]t|__num_|__time_|8time_|10moneypunct|8messages|7collate",
            ("libcxx/src/locale.cpp",),
        ),
    )
)

_FLAGS: Final = ("-std=c++23", "-D_LIBCPP_BUILDING_LIBRARY", "-DLIBCXX_BUILDING_LIBCXXABI", "-w")


def link_standard_library(module: Any) -> None:
    """Link the files that define symbols which a module lacks, and those that these lack."""
    linked: set[str] = set()
    while files := [each for each in dict.fromkeys(_wanted(module, linked)) if each not in linked]:
        for each in files:
            linked.add(each)
            if part := _part(each):
                module.link_in(part)


def _wanted(module: Any, linked: set[str]) -> Iterator[str]:
    """For each symbol that is defined nowhere, the first file not yet linked that may define it."""
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration and value.name.startswith("_Z"):
            for pattern, files in _FILES:
                if pattern.search(value.name):
                    yield from [each for each in files if each not in linked][:1]


def _part(file: str) -> Any:
    """The module of a file of the library; None if this version of the wheel has none."""
    specification = importlib.util.find_spec("ziglang")
    if specification is None or not specification.submodule_search_locations:
        return None
    root = Path(specification.submodule_search_locations[0]) / "lib"
    path = root / file
    if not path.is_file():
        return None
    text = path.read_bytes() + str(root).encode() + repr(_FLAGS).encode()
    kept = Path(cache_folder()) / "c++" / f"{path.stem}-{hashlib.sha256(text).hexdigest()[:16]}.bc"
    try:
        return verified(kept.read_bytes(), str(kept))
    except OSError:
        pass
    folders = [f"-I{root / each}" for each in ("libcxx/src", "libcxxabi/include", "libcxx/libc")]
    module = verified(compiled(str(path), [*_FLAGS, *folders]), str(path))
    _keep(kept, module.as_bitcode())
    return module


def _keep(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as stream:
            stream.write(content)
        os.replace(stream.name, path)
    except OSError:
        pass  # it is compiled again next time
