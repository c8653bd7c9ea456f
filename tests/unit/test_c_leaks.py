"""Memory that is not freed when the process ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.config import Options
from mazurka.errors import UsageError
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.workflows.program_spec import open_program, subject_of

HANDED_OVER = """
int *slot; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *use(void *z) {{
    pthread_mutex_lock(&m);
    free(slot); slot = 0;
    pthread_mutex_unlock(&m);
    return 0;
}}
int main(void) {{
    pthread_t a;
    pthread_create(&a, 0, use, 0);
    int *p = malloc(4);
    pthread_mutex_lock(&m);
    slot = p;
    pthread_mutex_unlock(&m);
    {}
}}
"""
JOINED = "pthread_join(a, 0);"

OWNED = """
void *use(void *mine) {{ free(mine); return 0; }}
int main(void) {{
    pthread_t a;
    pthread_create(&a, 0, use, malloc(8));
    {}
}}
"""

DETACHED = """
void *use(void *z) { return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, use, 0); pthread_detach(a); return 0; }
"""

STRATEGIES = ["dfs", "dpor", "dpor-rf", "mcr", "se-mcr", "unfolding"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_memory_that_no_thread_frees_in_one_order(tmp_path: Path, strategy: str) -> None:
    program = opened(tmp_path, HANDED_OVER.format(JOINED + " return 0;"), leaks=True)
    outcome = explored(program, strategy)
    assert isinstance(outcome.verdict, Violation)
    assert {each.failure.exception for each in outcome.found} == {"memory leak"}
    assert {each.failure.location.line for each in outcome.found if each.failure.location} == {20}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("end", ["free(slot); return 0;", "free(slot); exit(0);"])
def test_memory_that_is_freed_in_all_orders(tmp_path: Path, end: str, strategy: str) -> None:
    outcome = explored(opened(tmp_path, HANDED_OVER.format(JOINED + end), leaks=True), strategy)
    assert isinstance(outcome.verdict, Verified)


def test_they_are_no_failure_unless_it_is_asked_for(tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, HANDED_OVER.format(JOINED + " return 0;")))
    assert isinstance(outcome.verdict, Verified)


def test_the_last_thread_ends_the_process(tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, OWNED.format("pthread_detach(a); pthread_exit(0);"), leaks=True))
    assert isinstance(outcome.verdict, Verified)


def test_threads_that_run_on_when_the_process_ends(tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, OWNED.format("pthread_detach(a); return 0;"), leaks=True))
    assert not isinstance(outcome.verdict, Verified)
    correct = explored(opened(tmp_path, DETACHED, leaks=True))
    assert isinstance(correct.verdict, Inconclusive)


def test_one_finding_for_each_place_that_allocates(tmp_path: Path) -> None:
    text = """
    void *use(void *z) { free(malloc(3)); return strdup("text"); }
    int main(void) {
        pthread_t a, b;
        void *r;
        pthread_create(&a, 0, use, 0); pthread_create(&b, 0, use, 0);
        pthread_join(a, &r); pthread_join(b, &r);
        char *p = realloc(malloc(4), 8);
        return p == 0;
    }
    """
    outcome = explored(opened(tmp_path, text, leaks=True))
    messages = sorted(each.failure.message for each in outcome.found)
    assert len(messages) == 2
    assert "heap 0#" in messages[0]
    assert "and 1 more, allocated here" in messages[1]


def test_python_has_none(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("")
    options = Options(leaks=True)
    with pytest.raises(UsageError, match="in C"):
        open_program(subject_of(str(path), (), options), options)
