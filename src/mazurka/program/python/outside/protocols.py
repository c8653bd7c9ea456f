"""`isinstance` with a protocol that is checked while the program runs: it looks whether attributes exist."""

from __future__ import annotations

import sys
import typing
from typing import Any

from mazurka.program.python.instrument import sites
from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.semantics import natives
from mazurka.trace.event import Op


def _looks(models: Models, real: Any, protocol: Any, instance: Any) -> Any:
    run = models.runtime
    if not run.solo and typing.Protocol in protocol.__mro__[1:]:
        frame = sys._getframe(2)
        for name in sorted(typing._get_protocol_attrs(protocol)):  # type: ignore[attr-defined]
            natives.by_name(run, (instance, name), sites.place_of(frame), Op.READ)
    return real(protocol, instance)


replace_method("typing", "_ProtocolMeta.__instancecheck__", _looks)
