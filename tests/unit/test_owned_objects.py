"""The objects of C programs that other threads can't notice a thread use, and how they come to be shared."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Run
from mazurka.replay.reproduce import simplest

_MAIN = """
int main(void) {{
    pthread_t one, two;
    {before}
    pthread_create(&one, 0, first, {one});
    pthread_create(&two, 0, second, {two});
    pthread_join(one, 0);
    pthread_join(two, 0);
    {after}
    return 0;
}}
"""


def _threads(
    state: str, first: str, second: str, before: str = "", after: str = "", one: str = "0", two: str = "0"
) -> str:
    bodies = "".join(
        f"void *{name}(void *given) {{ (void)given; {body} return 0; }}\n"
        for name, body in (("first", first), ("second", second))
    )
    return state + "\n" + bodies + _MAIN.format(before=before, after=after, one=one, two=two)


def _accessed(run: Run) -> set[str]:
    """The names of objects that steps access."""
    return {str(step.target[1]).split(" ")[0] for step in run.log if step.target[0] == "var"}


def test_variables_on_the_stack_are_no_locations_although_functions_are_called_with_them(tmp_path: Path) -> None:
    text = _threads(
        "int shared; static void bump(int *at) { *at = *at + 1; }",
        "int own[3] = {1, 2, 3}; bump(&own[0]); bump(&own[1]); bump(&shared);",
        "int own[3] = {1, 2, 3}; bump(&shared); bump(&own[2]);",
        after="assert(shared);",
    )
    program = opened(tmp_path, text)
    assert explored(program, "dfs").executions < 10
    assert _accessed(executed(tmp_path, text)) == {"shared"}


def test_arguments_and_results_are_in_order_by_forks_and_joins(tmp_path: Path) -> None:
    state = "struct work { int given, result; };"
    body = "struct work *w = given; w->result = w->given + 1;"
    text = _threads(
        state,
        body,
        body,
        before="struct work *a = malloc(sizeof *a), *b = malloc(sizeof *b); a->given = 1; b->given = 2;",
        after="assert(a->result == 2 && b->result == 3); free(a); free(b);",
        one="a",
        two="b",
    )
    program = opened(tmp_path, text, races=True)
    outcome = explored(program)
    assert isinstance(outcome.verdict, Verified)
    assert _accessed(executed(tmp_path, text)) == set()


def test_elements_of_an_array_may_be_of_different_threads(tmp_path: Path) -> None:
    state = "struct work { long given, result; } all[2];"
    body = "struct work *w = given; for (int i = 0; i < 3; i++) w->result += w->given;"
    before, after = "all[0].given = 1;", "assert(all[0].result + all[1].result == 9);"
    text = _threads(state, body, f"all[1].given = 2; {body}", before, after, "&all[0]", "&all[1]")
    assert _accessed(executed(tmp_path, text)) == set()
    assert isinstance(explored(opened(tmp_path, text, races=True), "dfs").verdict, Verified)
    racing = _threads(state, body, body, before, after, "&all[0]", "&all[0]")
    outcome = explored(opened(tmp_path, racing, races=True))
    assert any(found.failure.is_race for found in outcome.found)


def test_a_table_that_no_thread_changes_is_owned_by_all(tmp_path: Path) -> None:
    text = _threads(
        "int table[2] = {1, 2}, x, y;", "x = table[0] + table[1];", "y = table[1];", after="assert(x == 3);"
    )
    assert isinstance(explored(opened(tmp_path, text)).verdict, Verified)
    assert "table" not in _accessed(executed(tmp_path, text))


@pytest.mark.parametrize(
    "way",
    [
        ("int *place;", "place = &own[1];", "int *at = place;"),
        ("unsigned long place;", "place = (unsigned long)&own[1] * 3;", "int *at = (int *)(place / 3);"),
        ("char place[8];", "int *p = &own[1]; memcpy(place, &p, 8);", "int *at; memcpy(&at, place, 8);"),
    ],
)
@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr"])
def test_an_address_may_come_to_another_thread_in_any_way(
    way: tuple[str, str, str], strategy: str, tmp_path: Path
) -> None:
    state, give, take = way
    text = _threads(
        f"{state} sem_t ready, done;",
        f"int own[2] = {{1, 1}}; {give} sem_post(&ready); own[1]++; sem_wait(&done); assert(own[1] == 3);",
        f"sem_wait(&ready); {take} (*at)++; sem_post(&done);",
        before="sem_init(&ready, 0, 0); sem_init(&done, 0, 0);",
    )
    outcome = explored(opened(tmp_path, text), strategy)
    assert isinstance(outcome.verdict, Violation), outcome
    assert "own[1] == 3" in outcome.verdict.first.failure.message


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr"])
def test_memory_that_is_freed_before_others_use_it(strategy: str, tmp_path: Path) -> None:
    text = _threads(
        "int *place;", "int *own = malloc(4); *own = 1; place = own; free(own);", "int *at = place; if (at) *at = 2;"
    )
    outcome = explored(opened(tmp_path, text), strategy)
    assert isinstance(outcome.verdict, Violation)
    assert "use after free" in outcome.verdict.first.failure.message


def test_races_on_memory_that_was_owned_before_are_found(tmp_path: Path) -> None:
    text = _threads(
        "_Atomic(int *) place;",
        "static int own; own = 1; __c11_atomic_store(&place, &own, __ATOMIC_RELAXED); own = 2;",
        "int *at = __c11_atomic_load(&place, __ATOMIC_RELAXED); if (at) *at = 3;",
    )
    outcome = explored(opened(tmp_path, text, races=True))
    assert any("own" in found.failure.message for found in outcome.found if found.failure.is_race)


def test_a_thread_that_waits_in_a_loop_for_what_only_it_has_read_so_far(tmp_path: Path) -> None:
    text = _threads("volatile int flag, x;", "while (!flag) ; x = 1;", "flag = 1;", after="assert(x == 1);")
    for strategy in ("dfs", "dpor", "mcr"):
        outcome = explored(opened(tmp_path, text), strategy)
        assert isinstance(outcome.verdict, Verified), (strategy, outcome)


def test_a_thread_that_goes_on_alone_for_ever_is_cut_soon(tmp_path: Path) -> None:
    run = executed(tmp_path, _threads("", "unsigned x[2] = {0}; for (;;) x[1]++;", ""))
    assert "accesses of a thread that no other one can notice" in run.truncated
    assert run.found_new_points


def test_each_access_of_an_atomic_section_is_a_step(tmp_path: Path) -> None:
    sections = "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);"
    text = _threads(
        f"{sections} int x, y;",
        "__VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end();",
        "__VERIFIER_atomic_begin(); int a = x, b = y; __VERIFIER_atomic_end(); assert(a == b);",
    )
    for strategy in ("dfs", "dpor"):
        assert isinstance(explored(opened(tmp_path, text), strategy).verdict, Verified)


_ALSO_WITH_ITS_OWN = _threads(
    "int shared; static void look(int *at) { int seen = *at; assert(seen != 2); }",
    "int own = 1; look(&own); look(&shared); look(&own);",
    "shared = 2;",
)


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "se-mcr", "unfolding"])
def test_schedules_mean_the_same_where_all_steps_are_recorded(strategy: str, tmp_path: Path) -> None:
    """A place at which threads use what they own, and what they share, is a point for the latter only."""
    program = opened(tmp_path, _ALSO_WITH_ITS_OWN)
    settings, known = StrategySettings(cutoffs=True), program.learned.points
    (found,) = Explorer(program, strategy, settings=settings, budget=Budget(100), learned=known).run().found
    assert found.failure.thread == "0.1"
    assert simplest(program, found, simplifies=False).happened
    assert simplest(program, found).happened


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr"])
def test_an_access_that_comes_too_late_may_come_earlier(strategy: str, tmp_path: Path) -> None:
    """The first execution ends with the main thread's first access, before it is known that there may be others."""
    text = """
    typedef struct { int users; } session;
    session *opened;
    void *serve(void *unused) { (void)unused; opened->users = 0; free(opened); return 0; }
    int main(void) {
        pthread_t one;
        opened = malloc(sizeof *opened);
        opened->users = 1;
        pthread_create(&one, 0, serve, 0);
        opened->users = 2;
        opened->users = 3;
        pthread_join(one, 0);
        return 0;
    }
    """
    explorer = Explorer(opened(tmp_path, text), strategy, stop_at_first=False)
    lines = {str(each.failure.location).rpartition(":")[2] for each in explorer.run().found}
    assert len(lines) == 2
