"""JUnit XML as CI servers read it: a test case per failure, or one that passed.

Format: the de-facto schema of the JUnit Ant task. An inconclusive check is a passed case whose properties say so,
since the format knows no third outcome and "skipped" would be untrue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as Xml

from mazurka.report.check_report import CheckReport
from mazurka.report.finding import Finding
from mazurka.report.render import DEFAULT_WIDTH
from mazurka.report.render_text import TextRenderer

#: What XML 1.0 can't hold, not even escaped (XML 1.0, production 2).
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def make(*, width: int, colour: bool) -> JunitRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return JunitRenderer()


@dataclass(frozen=True, slots=True)
class JunitRenderer:
    """One test suite."""

    def render(self, report: CheckReport) -> str:
        """The whole report."""
        suite = Xml.Element(
            "testsuite",
            name="mazurka",
            tests=str(max(len(report.findings), 1)),
            failures=str(len(report.findings)),
            errors=str(len(report.inconsistencies)),
            skipped="0",
            time=f"{report.seconds:.3f}",
        )
        properties = Xml.SubElement(suite, "properties")
        for name, value in _facts(report).items():
            Xml.SubElement(properties, "property", name=name, value=_clean(value))
        if not report.findings:
            case = _case(suite, report, report.target)
            for inconsistency in report.inconsistencies:
                Xml.SubElement(case, "error", message=_clean(inconsistency), type="inconsistency")
            Xml.SubElement(case, "system-out").text = _clean(TextRenderer(DEFAULT_WIDTH, False).render(report))
        for number, finding in enumerate(report.findings, 1):
            _failed(suite, report, finding, number)
        root = Xml.Element("testsuites")
        root.append(suite)
        Xml.indent(root)
        return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _facts(report: CheckReport) -> dict[str, str]:
    return {
        "verdict": report.verdict.value,
        "reason": report.reason,
        "strategy": report.strategy,
        "memory_model": report.memory_model,
        "executions": str(report.executions),
        "complete": str(report.complete).lower(),
        "suppressed": str(len(report.suppressed)),
    }


def _case(suite: Xml.Element, report: CheckReport, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", classname="mazurka", name=_clean(name), time=f"{report.seconds:.3f}")


def _failed(suite: Xml.Element, report: CheckReport, finding: Finding, number: int) -> None:
    name = report.target if len(report.findings) == 1 else f"{report.target} [{number}]"
    case = _case(suite, report, name)
    kind = finding.failure.exception or finding.failure.kind.value
    failure = Xml.SubElement(case, "failure", message=_clean(finding.failure.message), type=kind)
    failure.text = _clean(TextRenderer(DEFAULT_WIDTH, False).render_finding(finding, report.root))
    if finding.output:
        Xml.SubElement(case, "system-out").text = _clean(finding.output)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("?", text)
