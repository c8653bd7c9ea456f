"""Code that a program makes with `compile` is explored like its modules, and means the same as elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_ENGINE = """\
    import ast
    import threading

    TEXT = "def render(shared):\\n    seen = shared['n']\\n    shared['n'] = seen + 1\\n"


    def made(source):
        space = {}
        exec(compile(source, "<template>", "exec"), space)
        return space["render"]


    early = made(TEXT)


    def late(shared):
        made(SOURCE)(shared)


    SOURCE = TEXT if KIND == "text" else ast.parse(TEXT)


    def check(render):
        shared = {"n": 0}
        threads = [threading.Thread(target=render, args=(shared,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert shared["n"] == 2


    def test_early():
        check(early)


    def test_late():
        check(late)
    """


@pytest.mark.parametrize("kind", ["text", "tree"])
@pytest.mark.parametrize("when", ["early", "late"])
def test_what_it_does_is_seen(shell: Shell, when: str, kind: str) -> None:
    source = _ENGINE.replace("KIND", repr(kind))
    shell.write("program.py", source)
    done = shell.run("check", f"program.py::test_{when}", status=1)
    assert "violation: AssertionError" in done.stdout
    assert "<template> " in done.stdout  # the rows of the explanation
    if kind == "text" or when == "early":
        assert "seen = shared['n']" in done.stdout


@pytest.mark.parametrize("future", ["", "from __future__ import annotations"])
def test_what_the_caller_asks_of_the_future_holds(shell: Shell, future: str) -> None:
    shell.write(
        "program.py",
        f"""\
        {future}
        import threading

        space = {{}}
        exec(compile("def f(x: 1 + 1): pass", "<a>", "exec"), space)
        inner = {{}}


        def work():
            exec(compile("def f(x: 1 + 1): pass", "<b>", "exec"), inner)
            exec(compile("def g(x: 1 + 1): pass", "<c>", "exec", dont_inherit=True), inner)


        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        wanted = {"'1 + 1'" if future else 2}
        assert space["f"].__annotations__ == inner["f"].__annotations__ == {{"x": wanted}}
        assert inner["g"].__annotations__ == {{"x": 2}}
        """,
    )
    assert "violation" not in shell.run("check", "program.py", status=0).stdout
