"""`mazurka completion`: the script by which a shell completes Mazurka's command line.

The scripts are click's. They ask `mazurka` itself for completions, by a variable of the environment, so that a script
does not have to be made anew with each version.
"""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from mazurka.cli.choice import SuggestingChoice

#: The shells, and where their scripts are usually installed.
SHELLS: Final = {
    "bash": "mazurka completion bash > ~/.local/share/bash-completion/completions/mazurka",
    "zsh": "mazurka completion zsh > ~/.zfunc/_mazurka   # with fpath+=~/.zfunc before compinit",
    "fish": "mazurka completion fish > ~/.config/fish/completions/mazurka.fish",
}

_VARIABLE: Final = "_MAZURKA_COMPLETE"

#: The line by which click's script completes when zsh has just loaded it, and the same with the function registered:
#: otherwise the next completion only registers it, and completes nothing.
_ZSH: Final = (
    '    _mazurka_completion "$@"\n',
    '    compdef _mazurka_completion mazurka\n    _mazurka_completion "$@"\n',
)


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell", type=SuggestingChoice(tuple(SHELLS)))
def command(shell: str) -> None:
    """Print the script that completes `mazurka` in a SHELL: bash (4.4 or newer), zsh or fish."""
    commands = click.get_current_context().find_root().command
    found = get_completion_class(shell)
    assert found is not None
    made = found(commands, {}, "mazurka", _VARIABLE)
    script = made.source_template % made.source_vars()
    click.echo(script.replace(*_ZSH) if shell == "zsh" else script)
