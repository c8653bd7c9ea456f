"""`mazurka mcp`: a server of the Model Context Protocol on standard input and output, for programming assistants.

Protocol: https://modelcontextprotocol.io; the SDK is an extra. The tools are the commands ``check``, ``predict``,
``replay`` and ``explain``, and give the same JSON. Each call is a process of its own (mcp_tools.py), so that nothing
that a program prints gets among the messages, and no program changes the server.
"""

from __future__ import annotations

from typing import Any

import click

from mazurka import __version__
from mazurka.errors import import_extra

_INSTRUCTIONS = (
    "Mazurka finds concurrency bugs in threaded Python programs. Check a program or test; a failure has the "
    "interleaving that shows it, and a schedule that replays it. Fix the program, replay, and check again until it is "
    "verified."
)


@click.command()
def command() -> None:
    """Serve check, predict, replay and explain to assistants, by the Model Context Protocol on standard input and
    output."""
    server().run()


def server() -> Any:
    """The server, with its tools."""
    mcp_server = import_extra("mcp.server.mcpserver", "mazurka mcp")
    errors = import_extra("mcp.server.mcpserver.exceptions", "mazurka mcp")
    from mazurka.cli import mcp_tools

    made = mcp_server.MCPServer("mazurka", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in mcp_tools.TOOLS:
        made.add_tool(mcp_tools.reporting(tool, errors.ToolError))
    return made
