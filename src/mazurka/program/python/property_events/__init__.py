"""Property events of Python programs: the operations that are events, by the pointcuts of properties, and how programs
report them.

Modules that are rewritten while properties are active get hooks at operations that may be events
(:mod:`mazurka.program.python.instrument.rewrite.weaving`).
"""
