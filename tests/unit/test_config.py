"""The sources of settings, their precedence, and the errors about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.config import KEYS, PROFILES, Options, from_arguments, resolve
from mazurka.errors import UsageError


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_defaults(tmp_path: Path) -> None:
    write(tmp_path, "")
    assert resolve(directory=tmp_path, environ={}) == Options()


def test_every_key_has_a_field_with_its_name() -> None:
    assert {key.field for key in KEYS.values()} == set(Options.__dataclass_fields__)


def test_each_place_outranks_the_one_before(tmp_path: Path) -> None:
    write(tmp_path, '[tool.mazurka]\nseed = 1\nstrategy = "dfs"\nmax-steps = 10\n')
    options = resolve({"seed": 3}, directory=tmp_path, environ={"MAZURKA_SEED": "2", "MAZURKA_MAX_STEPS": "20"})
    assert (options.seed, options.max_steps, options.strategy) == (3, 20, "dfs")


def test_file_is_found_upwards_and_the_nearest_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, "[tool.mazurka]\nseed = 1\n")
    assert resolve(directory=inner, environ={}).seed == 1
    write(tmp_path / "a", "[tool.mazurka]\nseed = 2\n")
    assert resolve(directory=inner, environ={}).seed == 2


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_profiles_change_what_they_say(tmp_path: Path, profile: str) -> None:
    write(tmp_path, "")
    options = resolve({"profile": profile}, directory=tmp_path, environ={})
    assert {field: getattr(options, field) for field in PROFILES[profile]} == dict(PROFILES[profile])
    assert options.profile == profile


def test_profile_outranks_plain_keys_and_yields_to_the_environment(tmp_path: Path) -> None:
    plain = '[tool.mazurka]\ntime-limit = 5\nprofile = "night"\n'
    write(tmp_path, plain + "[tool.mazurka.profiles.night]\ntime-limit = 7\n")
    assert resolve(directory=tmp_path, environ={}).time_limit == 7
    assert resolve(directory=tmp_path, environ={"MAZURKA_TIME_LIMIT": "9"}).time_limit == 9
    assert resolve(directory=tmp_path, environ={"MAZURKA_PROFILE": "default"}).time_limit == 5


def test_project_may_change_a_built_in_profile(tmp_path: Path) -> None:
    write(tmp_path, "[tool.mazurka.profiles.thorough]\nmax-executions = 12\n")
    options = resolve({"profile": "thorough"}, directory=tmp_path, environ={})
    assert (options.max_executions, options.all_failures) == (12, True)


def test_zero_means_no_limit(tmp_path: Path) -> None:
    write(tmp_path, "[tool.mazurka]\ntime-limit = 0\nmax-executions = 0\n")
    options = resolve(directory=tmp_path, environ={})
    assert options.time_limit is None
    assert options.max_executions is None


def test_include_is_a_list_in_files_and_commas_in_the_environment(tmp_path: Path) -> None:
    write(tmp_path, '[tool.mazurka]\ninclude = ["queue", "a.b"]\n')
    assert resolve(directory=tmp_path, environ={}).include == ("queue", "a.b")
    assert resolve(directory=tmp_path, environ={"MAZURKA_INCLUDE": "x, y"}).include == ("x", "y")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.mazurka]\nstategy = 'mcr'\n", ["pyproject.toml [tool.mazurka]", "unknown key stategy", "strategy?"]),
        ("[tool.mazurka]\nzzz = 1\n", ["unknown key zzz", "known keys: strategy"]),
        ("[tool.mazurka]\nformat = 'json'\n", ["unknown key format"]),
        ("[tool.mazurka]\nseed = -1\n", ["seed = -1", "whole number from 0"]),
        ("[tool.mazurka]\nseed = true\n", ["seed = True"]),
        ("[tool.mazurka]\nstrategy = 'bfs'\n", ["'bfs'", "one of auto, mcr, "]),
        ("[tool.mazurka]\ninclude = 'not-a-name'\n", ["include", "names of packages"]),
        ("[tool.mazurka]\ntime-limit = 'soon'\n", ["'soon'", "seconds"]),
        ("[tool.mazurka.profiles.ci]\nsed = 1\n", ["[tool.mazurka.profiles.ci]", "unknown key sed", "seed?"]),
        ("[tool.mazurka.profiles.ci]\nprofile = 'ci'\n", ["a profile can't choose a profile"]),
        ("[tool.mazurka]\nprofile = 'none'\n", ["no profile 'none'", "ci, default, thorough"]),
        ("[tool]\nmazurka = 3\n", ["not a table"]),
        ("[tool.mazurka\n", ["not valid TOML", "pyproject.toml"]),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, words: list[str]) -> None:
    write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        resolve(directory=tmp_path, environ={})
    for word in words:
        assert word in str(caught.value)


def test_what_is_wrong_in_the_environment_is_named(tmp_path: Path) -> None:
    write(tmp_path, "")
    with pytest.raises(UsageError, match=r"MAZURKA_STRATEGI.*did you mean MAZURKA_STRATEGY\?"):
        resolve(directory=tmp_path, environ={"MAZURKA_STRATEGI": "dfs"})
    with pytest.raises(UsageError, match="environment variable MAZURKA_SEED: seed = 'x'"):
        resolve(directory=tmp_path, environ={"MAZURKA_SEED": "x"})


def test_arguments_of_a_decorator_are_checked() -> None:
    assert from_arguments({"max_executions": None, "strategy": "dfs"}, "here") == {
        "max_executions": None,
        "strategy": "dfs",
    }
    with pytest.raises(UsageError, match="here: unknown key max_execution; did you mean max_executions"):
        from_arguments({"max_execution": 3}, "here")
