"""`mazurka spec`: commutativity specifications, the library's and a user's own: checked, listed, shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from mazurka.commute.access_points import translated
from mazurka.commute.formula import in_words
from mazurka.commute.loading import types_of
from mazurka.commute.registry import TYPES, specification
from mazurka.commute.specification import Specification, specifications_of
from mazurka.commute.verification import PairCheck, states_of, verify

_UNSOUND: Final = 1

_source = click.argument("file", type=click.Path(), metavar="FILE|TYPE")


@click.group()
def command() -> None:
    """Check specifications of calls of shared objects that commute."""


@command.command()
@_source
@click.option("--all", "all_", is_flag=True, help="Show exact conditions, too")
def check(file: str, all_: bool) -> int:
    """Check the specifications in FILE, or of a TYPE of the library, against their executable models."""
    unsound = False
    for kind in types_of(file):
        for variant in specifications_of(kind).values():
            unsound |= _check(variant, all_)
    return _UNSOUND if unsound else 0


@command.command("list")
def list_() -> None:
    """List the types of the library, with their methods."""
    for name in TYPES:
        click.echo(f"{name:27} {', '.join(specification(name, 'fine').methods)}")


@command.command()
@_source
def show(file: str) -> None:
    """Show the conditions of a type, and the access points made from them."""
    for kind in types_of(file):
        for variant in specifications_of(kind).values():
            click.echo(f"{variant.name}, {variant.variant} ({variant.fragment}):")
            _conditions(variant)
            _access_points(variant)


@command.command("check-linearizable")
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("--seconds", default=60.0, show_default=True, help="For each pair of calls, at most")
def check_linearizable(file: str, seconds: float) -> int:
    """Explore the marked classes in FILE: whether any two concurrent calls have the outcome of some order of them."""
    from mazurka.workflows.linearizability import check_classes, explained

    wrong = False
    for report in check_classes(file, seconds):
        click.echo(explained(report))
        wrong |= report.wrong is not None
    return _UNSOUND if wrong else 0


def _check(specified: Specification, all_: bool) -> bool:
    """Prints the checks of a specification; returns whether it is unsound."""
    checks = verify(specified)
    states = len(states_of(specified.kind))
    click.echo(f"{specified.name}, {specified.variant} ({specified.fragment}): {len(checks)} pairs in {states} states")
    for each in checks:
        if all_ or not each.is_exact:
            _pair(specified, each)
    unsound = [each for each in checks if not each.is_sound]
    exact = sum(each.is_exact for each in checks)
    held, commuting = sum(each.admitted for each in checks), sum(each.commuting for each in checks)
    if unsound:
        click.echo(f"  unsound: {_pairs(len(unsound))} of {len(checks)}")
    else:
        share = f"holds for {held:,} of the {commuting:,} cases that commute"
        click.echo(f"  sound; {'exact' if exact == len(checks) else f'{_pairs(exact)} exact, {share}'}")
    return bool(unsound)


def _pair(specified: Specification, checked: PairCheck) -> None:
    one, other = checked.methods
    name = f"  {one} || {other} : {in_words(specified.condition(one, other))}"
    if checked.counterexample is not None:
        click.echo(f"{name}\n    unsound: it holds for calls that do not commute,")
        _indented(str(checked.counterexample))
    elif checked.is_exact:
        click.echo(f"{name}\n    exact: {checked.commuting:,} of {checked.cases:,} cases commute")
    else:
        click.echo(f"{name}\n    sound: holds for {checked.admitted:,} of the {checked.commuting:,} cases that commute")
        _indented(f"missed {checked.missed}")


def _indented(text: str) -> None:
    for line in text.splitlines():
        click.echo(f"    {line}")


def _conditions(specified: Specification) -> None:
    methods: Sequence[str] = list(specified.methods)
    for at, one in enumerate(methods):
        for other in methods[at:]:
            click.echo(f"  {one} || {other} : {in_words(specified.condition(one, other))}")


def _access_points(specified: Specification) -> None:
    points = translated(specified)
    click.echo(f"  {len(points.kinds)} kinds of access points:")
    for number, (words, others) in enumerate(zip(points.kinds, points.conflicts, strict=True)):
        click.echo(f"    {number}: {words}; conflicts with {', '.join(map(str, sorted(others)))}")
    for (one, other), why in points.weaker.items():
        click.echo(f"    not translated: {one} || {other}, because {why}")


def _pairs(count: int) -> str:
    return f"{count} pair{'s' * (count != 1)}"
