"""The verbs, and their modules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from mazurka import __version__
from mazurka.cli.closed_pipes import CLOSED_PIPE, let_output_go
from mazurka.errors import did_you_mean
from mazurka.importing import import_quickly

#: Verb -> its help; the code is in the module of that name, as `command`.
VERBS: Final = {
    "check": "Run a program in every relevant order of its threads; report failures.",
    "record": "Run a program with real threads, and record their operations.",
    "predict": "Find bugs that another order of a recorded trace would show.",
    "convert": "Write a trace in another format.",
    "trace": "Look into a trace file.",
    "recording": "Look into a recording of control flow.",
    "spec": "Check specifications of calls of shared objects that commute.",
    "properties": "List properties to look for, or check a file of your own.",
    "reproduce": "Find an order of the threads that fails as a recorded run did.",
    "replay": "Run exactly one saved schedule again.",
    "view": "Write a report, a saved failure or a recording as a page.",
    "list": "List the failures saved here.",
    "clean": "Remove the data that earlier checks saved here.",
    "explain": "Explain an error by its name.",
    "mcp": "Serve these commands to assistants (Model Context Protocol).",
    "completion": "Print the script that completes commands in a shell.",
    "man": "Print the manual page.",
    "version": "Show Mazurka's version.",
}


#: The verbs of everyday use.
_DAILY: Final = frozenset({"check", "record", "predict", "replay", "list", "view", "explain"})


@contextmanager
def _ends_with_its_reader() -> Iterator[None]:
    """If the reader of the output has gone, end with a status that says so: click would end with that of a failure
    found."""
    try:
        yield
    except BrokenPipeError:
        let_output_go()
        raise click.exceptions.Exit(CLOSED_PIPE) from None


class _Verbs(click.Group):
    """A group that imports a verb's module only when the verb is used."""

    def make_context(self, *args: Any, **named: Any) -> click.Context:
        with _ends_with_its_reader():
            return super().make_context(*args, **named)  # prints the help

    def invoke(self, ctx: click.Context) -> Any:
        with _ends_with_its_reader():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], VERBS) or f"There are {', '.join(VERBS)}"
            ctx.fail(f"There is no verb {args[0]!r}. {hint[0].upper()}{hint[1:]}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs, and options before one; no module is imported for it."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(verb, help=words) for verb, words in VERBS.items() if verb.startswith(incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = import_quickly(f"mazurka.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        daily, others = (
            [item for item in VERBS.items() if (item[0] in _DAILY) is is_daily] for is_daily in (True, False)
        )
        for title, verbs in (("Verbs", daily), ("Further verbs", others)):
            with formatter.section(title):
                formatter.write_dl(verbs)


@click.group(
    cls=_Verbs,
    subcommand_metavar="VERB [ARGUMENTS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit status: 0 nothing found, 1 found, 2 wrong request or error, 3 inconclusive (--require-complete, "
    "--require), 5 no threads were started.",
)
@click.version_option(__version__, message="mazurka %(version)s")
def commands() -> None:
    """Finds, explains and replays concurrency bugs in threaded Python programs."""
