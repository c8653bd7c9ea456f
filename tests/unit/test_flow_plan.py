"""What is recorded of a program, and what can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.errors import UsageError
from mazurka.flow.building import opened, planned
from mazurka.flow.paths import Paths
from mazurka.flow.plan import Plan

_HEAD = "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\nint shared;\n"


def _plan(folder: Path, text: str, elides: bool = True) -> Plan:
    path = folder / "program.c"
    path.write_text(_HEAD + text)
    return planned(opened(str(path), (), ("-O0",)), elides)


def _paths(folder: Path, body: str, elides: bool = True) -> Paths:
    return (
        _plan(folder, f"int f(int n) {{ {body} }}\nint main(void) {{ return f(shared); }}", elides).functions["f"].paths
    )


def _numbers(paths: Paths) -> int:
    return sum(1 for known in paths.nodes.values() if known.width)


def test_branches_on_constants_are_not_recorded(tmp_path: Path) -> None:
    text = "int s = 0; for (int i = 0; i < 9; i++) if (i % 3 == 1) s += i; return s;"
    assert not _paths(tmp_path, text).writes
    assert _paths(tmp_path, text, elides=False).writes


def test_constants_are_known_through_calls(tmp_path: Path) -> None:
    text = "static int g(int n) { if (n > 3) return 1; return n; }\nint main(void) { return g(2) + g(5); }"
    plan = _plan(tmp_path, text)
    assert not plan.writes(plan.functions["g"])
    plan = _plan(tmp_path, text.replace("g(5)", "g(shared)"))
    assert plan.writes(plan.functions["g"])


def test_one_path_loop_is_counted(tmp_path: Path) -> None:
    paths = _paths(tmp_path, "int s = 0; for (int i = 0; i < n; i++) s += i; return s;")
    assert len(paths.counted) == 1
    assert not _numbers(paths)


def test_loop_with_a_branch_has_numbers(tmp_path: Path) -> None:
    paths = _paths(tmp_path, "int s = 0; for (int i = 0; i < n; i++) if (shared) s += i; return s;")
    assert not paths.counted
    assert _numbers(paths)


def test_each_side_of_a_switch_has_a_number(tmp_path: Path) -> None:
    paths = _paths(tmp_path, "switch (n) { case 1: return 4; case 7: return 2; case 9: return 5; default: return 0; }")
    assert max(known.paths for known in paths.nodes.values()) == 4


def test_many_branches_in_a_row_end_paths(tmp_path: Path) -> None:
    paths = _paths(tmp_path, " ".join(f"if (n & {1 << each}) shared++;" for each in range(30)) + " return 0;")
    assert max(known.paths for known in paths.nodes.values()) <= 65_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("void h(int s) {}\nint main(void) { signal(SIGINT, h); }", "calls signal(): it may interrupt a path"),
        ("int main(void) { struct sigaction a; sigaction(SIGINT, &a, 0); }", "calls sigaction()"),
        ("int f(void) { return 0; }", "it has no main()"),
    ],
)
def test_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        _plan(tmp_path, text)
    assert raised.value.slug == "not-recordable"
    assert words in str(raised.value)


def test_signals_that_are_ignored_are_not_refused(tmp_path: Path) -> None:
    _plan(tmp_path, "int main(void) { signal(SIGPIPE, SIG_IGN); signal(SIGINT, SIG_DFL); return 0; }")


def test_unknown_functions_are_named(tmp_path: Path) -> None:
    plan = _plan(tmp_path, "int strange(int); int main(void) { return strange(1) + rand(); }")
    assert plan.unknown == {"strange"}
