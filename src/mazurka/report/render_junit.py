"""JUnit XML as CI servers read it: a test case per finding, or one that passed.

Format: the de-facto schema of the JUnit Ant task. An inconclusive report is a passed case whose properties say
so, since the format knows no third outcome and "skipped" would be untrue.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as Xml

from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport
from mazurka.report.finding import Finding
from mazurka.report.render_text import TextRenderer
from mazurka.report.renderer import DEFAULT_WIDTH, AnyReport
from mazurka.report.report import Fact, Report

#: Characters that XML 1.0 can't hold, not even escaped (XML 1.0, production 2).
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def make(*, width: int, colour: bool) -> JunitRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return JunitRenderer()


@dataclass(frozen=True, slots=True)
class JunitRenderer:
    """One test suite."""

    def render(self, report: AnyReport) -> str:
        """The whole report; a suite for each target."""
        root = Xml.Element("testsuites")
        for part in (isinstance(report, CheckReport) and report.parts) or (report,):
            root.append(self._suite(part))
        Xml.indent(root)
        return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'

    @staticmethod
    def _suite(report: AnyReport) -> Xml.Element:
        suite = Xml.Element(
            "testsuite",
            name="mazurka",
            tests=str(max(len(report.findings), 1)),
            failures=str(len(report.findings)),
            errors=str(len(_errors(report))),
            skipped="0",
            time=f"{report.seconds:.3f}",
        )
        properties = Xml.SubElement(suite, "properties")
        for name, value in report.facts.items():
            Xml.SubElement(properties, "property", name=name, value=_clean(_text(value)))
        if not report.findings:
            case = _case(suite, report, report.subject)
            for error, kind in _errors(report):
                Xml.SubElement(case, "error", message=_clean(error), type=kind)
            Xml.SubElement(case, "system-out").text = _clean(TextRenderer(DEFAULT_WIDTH, False).render(report))
        for number, finding in enumerate(report.findings, 1):
            _failed(suite, report, finding, number)
        return suite


def _errors(report: AnyReport) -> list[tuple[str, str]]:
    """Errors and their types: in Mazurka, or about the target."""
    own = [(report.error, "error")] if isinstance(report, CheckReport) and report.error else []
    return [*((each, "inconsistency") for each in report.errors), *own]


def _text(value: Fact) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _case(suite: Xml.Element, report: Report, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", classname="mazurka", name=_clean(name), time=f"{report.seconds:.3f}")


def _failed(suite: Xml.Element, report: Report, finding: Finding, number: int) -> None:
    name = report.subject if len(report.findings) == 1 else f"{report.subject} [{number}]"
    case = _case(suite, report, name)
    kind = (finding.failure.exception if finding.failure is not None else "") or finding.kind
    failure = Xml.SubElement(case, "failure", message=_clean(finding.message), type=kind)
    failure.text = _clean(TextRenderer(DEFAULT_WIDTH, False).render_finding(finding, report.root))
    if finding.output:
        Xml.SubElement(case, "system-out").text = _clean(finding.output)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("?", text)
