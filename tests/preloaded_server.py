"""An interpreter that has imported the modules of a command, and forks for each command (``preloaded.py`` sends them).

A child is in the state of ``python -m mazurka`` once Python has started: ``__main__`` is empty, ``sys.path`` begins
with its folder, the only open files are its three streams, and when its code ends the interpreter does. No module is
imported here that commands do not import themselves.
"""

from __future__ import annotations

import marshal
import os
import sys


def _serve(descriptor: int) -> str:
    """Fork for each command, and report its process and how it ended; in a child, the module that it is to run."""
    import socket

    connection = socket.socket(fileno=descriptor)
    while True:
        head, pipes, *_ = socket.recv_fds(connection, 4, 2)
        if not head:
            return ""
        request = connection.recv(int.from_bytes(head), socket.MSG_WAITALL)
        pid = os.fork()
        if not pid:
            connection.close()
            command, *rest = marshal.loads(request)
            _become(pipes, command, *rest)
            return str(command[2])
        for pipe in pipes:
            os.close(pipe)
        connection.sendall(pid.to_bytes(4))
        _, status = os.waitpid(pid, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, signed=True))


def _become(pipes: list[int], command: list[str], folder: str, environment: dict[str, str]) -> None:
    """Take over the streams, arguments, folder and environment of the command."""
    for stream, pipe in enumerate(pipes, start=1):
        os.dup2(pipe, stream)
        os.close(pipe)
    os.chdir(folder)
    paths = len(_paths())
    os.environ.clear()
    os.environ.update(environment)
    sys.path[: 1 + paths] = [os.getcwd(), *_paths()]
    sys.orig_argv[:] = command
    sys.argv[:] = command[1:2] + command[3:]


def _paths() -> list[str]:
    return [os.path.abspath(path) for path in os.environ["PYTHONPATH"].split(os.pathsep)]


def _run(module: str) -> None:
    from runpy import _run_module_as_main  # the function that `-m` calls

    main = vars(sys.modules["__main__"])
    for name in main.keys() - {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__"}:
        del main[name]
    _run_module_as_main(module)


if __name__ == "__main__":
    from importlib import import_module

    for _imported in sys.argv[2:]:
        import_module(_imported)
    if _module := _serve(int(sys.argv[1])):
        _run(_module)
