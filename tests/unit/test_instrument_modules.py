"""Getting instrumented code into modules: the import hook, the kept code, swapping in place, and pytest's trees."""

from __future__ import annotations

import ast
import colorsys
import importlib
import importlib.util
import inspect
import linecache
import marshal
import os
import stat
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from mazurka.program.python.instrument import hot_patching, instrument, kept_code, loader, sites
from mazurka.program.python.instrument.instrument import compile_instrumented
from mazurka.program.python.instrument.kept_code import KeptCode, maker, private_key
from mazurka.program.python.semantics import hooks

SOURCE = '''"""A module."""
from __future__ import annotations


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.value = 0

    def bump(self) -> int:
        self.value += 1
        return self.value


def fail(counter: Counter) -> None:
    counter.missing


def closure():
    n = 0
    return (lambda: n), [lambda: n for _ in "a"]
'''


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    hooks.install()
    modules = set(sys.modules)
    yield
    hooks.uninstall()
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "counted.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(root))
    return root


@pytest.fixture
def installed(project: Path, tmp_path: Path) -> Iterator[loader.Loader]:
    used = loader.Loader([str(project)], [], str(tmp_path / "cache"))
    used.install()
    yield used
    used.uninstall()


def is_instrumented(module: ModuleType, name: str = "fail") -> bool:
    return "__mz_ra__" in getattr(module, name).__code__.co_names


def test_modules_under_the_roots_are_instrumented(installed: loader.Loader, project: Path) -> None:
    module = importlib.import_module("counted")
    assert is_instrumented(module)
    assert installed.modules == {"counted": module}
    assert module.__file__ == str(project / "counted.py")
    assert module.__doc__ == "A module."
    assert inspect.getsource(module.Counter.bump).startswith("    def bump")
    assert inspect.getsourcelines(module.fail)[1] == 16
    assert not [name for name in vars(module) if "mz" in name]
    assert module.Counter().bump() == 1


def test_tracebacks_point_at_the_source(installed: loader.Loader) -> None:
    module = importlib.import_module("counted")
    with pytest.raises(AttributeError) as caught:
        module.fail(module.Counter())
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.lineno, last.line, last.colno, last.end_colno) == (17, "counter.missing", 4, 19)
    linecache.checkcache()


def test_others_are_left_alone(installed: loader.Loader, project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(SOURCE)
    packages = project / "venv" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "library.py").write_text(SOURCE)
    sys.path[:0] = [str(tmp_path), str(packages)]
    try:
        assert not is_instrumented(importlib.import_module("elsewhere"))
        assert not is_instrumented(importlib.import_module("library"))
    finally:
        del sys.path[:2]
    assert not installed.modules


def test_named_packages_are_instrumented_with_their_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "named"
    package.mkdir()
    (package / "__init__.py").write_text("from named.inner import fail\n")
    (package / "inner.py").write_text(SOURCE)
    (tmp_path / "named_not.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    used = loader.Loader([], ["named"])
    used.install()
    try:
        assert is_instrumented(importlib.import_module("named"))
        assert not is_instrumented(importlib.import_module("named_not"))
    finally:
        used.uninstall()
    assert sorted(used.modules) == ["named", "named.inner"]


def test_compiled_code_is_kept_and_damage_repaired(installed: loader.Loader, project: Path, tmp_path: Path) -> None:
    importlib.import_module("counted")
    (kept,) = (tmp_path / "cache").iterdir()
    good = kept.read_bytes()
    for damaged in (b"", b"nonsense", good[:-1], good[:40] + b"\0" + good[41:]):
        kept.write_bytes(damaged)
        del sys.modules["counted"]
        assert is_instrumented(importlib.import_module("counted"))
        assert KeptCode(str(kept.parent)).find(SOURCE.encode(), str(project / "counted.py"))
    del sys.modules["counted"]
    module = importlib.import_module("counted")
    assert is_instrumented(module)
    number = next(each for each in module.fail.__code__.co_consts if isinstance(each, int))
    assert sites.location(number).line == 17  # type: ignore[union-attr]


def test_code_that_another_user_kept_is_never_loaded(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor any that was kept for another file: whoever makes a folder `.mazurka` up does not have the key."""
    source, file, made = SOURCE.encode(), str(project / "counted.py"), compile_instrumented(SOURCE.encode(), "other.py")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    KeptCode(str(tmp_path / "cache")).keep(source, file, made)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "ours"))
    ours = KeptCode(str(tmp_path / "cache"))
    (kept,) = (tmp_path / "cache").iterdir()
    monkeypatch.setattr(marshal, "loads", None)  # not to be called
    assert ours.find(source, file) is None
    kept.write_bytes(b"")
    ours.keep(SOURCE.encode() + b" ", file, made)
    (other,) = {*(tmp_path / "cache").iterdir()} - {kept}
    other.replace(kept)
    assert ours.find(source, file) is None


def test_a_key_that_others_could_know_is_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    key = private_key()
    path = tmp_path / "mazurka" / "key"
    assert key is not None
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert private_key() == key
    path.chmod(0o644)
    another = private_key()
    assert another not in (None, key)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"short")
    assert private_key() not in (None, b"short", another)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert private_key() is None
    monkeypatch.setenv("XDG_STATE_HOME", str(path / "below"))
    assert private_key() is None


def test_without_a_key_nothing_is_kept(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    used = loader.Loader([str(project)], [], str(tmp_path / "cache"))
    used.install()
    try:
        assert is_instrumented(importlib.import_module("counted"))
    finally:
        used.uninstall()
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of the library's code, empty; this process forgets the code that it has loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    loader._code_of_library.cache_clear()
    return tmp_path / "caches" / "mazurka" / "code"


def code_of_the_library(module: ModuleType) -> CodeType:
    """The code that a process gets which has compiled none yet."""
    loader._code_of_library.cache_clear()
    assert module.__file__ is not None
    return loader.Loader([], []).code_for(Path(module.__file__).read_bytes(), module.__file__)


def test_code_of_the_standard_library_is_kept_for_all_projects(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = code_of_the_library(colorsys)
    ((kept,),) = [list(version.iterdir()) for version in caches.iterdir()]
    monkeypatch.setattr(loader, "compile_instrumented", None)  # not to be called
    assert code_of_the_library(colorsys) == made
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches.parent.parent))
    kept.write_bytes(kept.read_bytes()[:-1] + b"\0")
    monkeypatch.setattr(marshal, "loads", None)  # not to be called, either
    assert code_of_the_library(colorsys) == made


def test_code_of_another_version_is_not_found_and_goes_at_last(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_of_the_library(colorsys)
    (version,) = caches.iterdir()
    (kept,) = version.iterdir()
    monkeypatch.setattr(kept_code, "maker", lambda: "another" * 10)
    code_of_the_library(colorsys)
    assert len(list(caches.iterdir())) == 2
    source, file = Path(colorsys.__file__).read_bytes(), colorsys.__file__
    assert KeptCode(str(version)).find(source, file) is None
    os.utime(version, (1.0, 1.0))
    monkeypatch.setattr(kept_code, "maker", lambda: "yet another" * 10)
    code_of_the_library(colorsys)
    assert not kept.exists()
    assert len(list(caches.iterdir())) == 2


def test_where_what_rewrites_cannot_be_read_nothing_is_kept(
    project: Path, caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_code, "_REWRITING", ("instrument", "no such folder"))
    maker.cache_clear()
    try:
        assert maker() == ""
        code_of_the_library(colorsys)
        file = str(project / "counted.py")
        KeptCode(str(tmp_path / "cache")).keep(SOURCE.encode(), file, compile_instrumented(SOURCE.encode(), file))
    finally:
        maker.cache_clear()
    assert not caches.exists()
    assert not (tmp_path / "cache").exists()


def test_what_rewrites_identifies_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another text of the rewriter, or another interpreter, is another maker."""
    makers = [maker()]
    for change in (
        lambda: monkeypatch.setattr(kept_code, "_REWRITING", ("instrument",)),
        lambda: monkeypatch.setattr(sys, "version", f"{sys.version} patched"),
        lambda: monkeypatch.setattr(importlib.util, "MAGIC_NUMBER", b"1234"),
    ):
        change()
        makers.append(maker.__wrapped__())
    assert len({*makers}) == 4
    assert all(makers)


def test_a_changed_source_is_compiled_anew(installed: loader.Loader, project: Path) -> None:
    assert not hasattr(importlib.import_module("counted"), "more")
    (project / "counted.py").write_text(SOURCE + "more = 1\n")
    del sys.modules["counted"]
    assert importlib.import_module("counted").more == 1


def test_a_cache_that_cannot_be_written_only_costs_time(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    used = loader.Loader([str(project)], [], str(tmp_path / "file" / "below"))
    used.install()
    try:
        assert is_instrumented(importlib.import_module("counted"))
    finally:
        used.uninstall()


def test_what_cannot_be_instrumented_is_loaded_plain_and_named(
    installed: loader.Loader, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(loader, "compile_instrumented", refuse)
    module = importlib.import_module("counted")
    assert module.Counter().bump() == 1
    assert installed.opaque == {"counted": "RecursionError: too deep"}


def test_a_syntax_error_is_the_programs(installed: loader.Loader, project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n")
    with pytest.raises(SyntaxError) as caught:
        importlib.import_module("broken")
    assert caught.value.lineno == 1
    assert caught.value.filename == str(project / "broken.py")


def test_swapping_in_place_and_back(project: Path) -> None:
    module = importlib.import_module("counted")
    counter, bump = module.Counter(), module.Counter.bump
    read, (other,) = module.closure()
    assert not is_instrumented(module)
    undo = hot_patching.swap_module(module)
    assert is_instrumented(module)
    assert "__mz_wa__" in bump.__code__.co_names
    assert counter.bump() == 1
    assert read() == other() == 0
    undo()
    assert not is_instrumented(module)
    assert counter.bump() == 2


def test_generators_that_can_be_awaited_still_can(project: Path) -> None:
    (project / "awaited.py").write_text(
        "import types\n\n\n@types.coroutine\ndef once():\n    yield 1\n\n\nasync def twice():\n    await once()\n"
        "    await once()\n"
    )
    module = importlib.import_module("awaited")
    undo = hot_patching.swap_module(module)
    coroutine = module.twice()
    assert [coroutine.send(None), coroutine.send(None)] == [1, 1]
    coroutine.close()
    undo()


def test_functions_on_one_line_get_each_its_own_code(project: Path) -> None:
    (project / "paired.py").write_text(
        "class C:\n    a = 1\n    b = 2\n\n\nPAIR = (lambda x: x.a), (lambda x: x.b)\n"
        "def same(): return (lambda: 1), (lambda: 1)\n"
        "def nested(y): return (lambda x: x + y), (lambda x: x - y), (lambda x: (lambda: x)())\n"
    )
    import paired

    undo = hot_patching.swap_module(paired)
    try:
        assert [each(paired.C) for each in paired.PAIR] == [1, 2]
        assert [each() for each in paired.same()] == [1, 1]
        assert [each(5) for each in paired.nested(3)] == [8, 2, 5]
        assert "__mz_ra__" in paired.PAIR[0].__code__.co_names
    finally:
        undo()
    assert [each(paired.C) for each in paired.PAIR] == [1, 2]


def test_swapping_the_standard_library() -> None:
    import functools

    undo = hot_patching.swap_module(functools)
    try:
        assert any(name.startswith("__mz_") for name in functools.cached_property.__get__.__code__.co_names)

        class A:
            @functools.cached_property
            def x(self) -> int:
                return 5

            @functools.singledispatchmethod
            def f(self, x: object) -> str:
                return "any"

            @f.register
            def _(self, x: int) -> str:
                return "int"

        assert (A().x, A().f(1), A().f("a")) == (5, "int", "any")
    finally:
        undo()
    assert not any(name.startswith("__mz_") for name in functools.cached_property.__get__.__code__.co_names)


def test_trees_rewritten_by_pytest_can_be_instrumented(tmp_path: Path) -> None:
    from _pytest.assertion.rewrite import rewrite_asserts

    source = "d = {'a': 1}\ndef test():\n    x = d\n    assert x['a'] == len(d) + 1, 'why'\n"
    tree = ast.parse(source)
    rewrite_asserts(tree, source.encode())
    file = str(tmp_path / "test_it.py")
    code = compile(instrument.instrument_tree(tree, file), file, "exec")
    space: dict[str, object] = {"__name__": "test_it"}
    exec(code, space)
    with pytest.raises(AssertionError) as caught:
        space["test"]()  # type: ignore[operator]
    assert "assert 1 == (1 + 1)" in str(caught.value)
    assert "__mz_ri__" in space["test"].__code__.co_names  # type: ignore[attr-defined]


def test_sites_are_stable_numbers_with_places() -> None:
    first, _ = instrument.compile_instrumented(SOURCE, "/counted.py")
    again, entries = instrument.compile_instrumented(SOURCE, "/counted.py")
    assert first == again
    sites.register("/counted.py", entries)
    base = sites.SiteNumbering("/counted.py").base
    found = [sites.site(base + index) for index in range(1, len(entries) + 1)]
    store = next(each for each in found if each is not None and each.kind == "store" and each.line == 12)
    assert (store.name, store.function) == ("value", "Counter.bump")
    assert sites.site(0) is None
    assert sites.site(-1) is None
    assert sites.site(base + len(entries) + 1) is None
    assert sites.text(0) == ""
    assert "store value at /counted.py:" in sites.text(base + found.index(store) + 1)
