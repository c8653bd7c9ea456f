"""The analysis of a Python program's source, for strategies."""

from __future__ import annotations

from mazurka.program.conditions import Uses
from mazurka.program.python.analysis.checks import uses_of
from mazurka.program.python.analysis.dependence import SourceDependence
from mazurka.program.source_analysis import Dependence, SourceAnalysis


class PythonSource(SourceAnalysis):
    """The analysis of all modules instrumented so far."""

    def uses_of(self, site: int) -> Uses:
        return uses_of(site)

    def dependence(self, *, final: bool) -> Dependence:
        return SourceDependence(final=final)
