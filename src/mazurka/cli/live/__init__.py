"""The live page of a check (`--live`): the sender in the process that supervises it, and the process that serves it."""
