"""The report for people: verdict, failure, cause in a sentence, interleaving, the command to replay it, and counts. A
prediction is shown as its events and their order (predicted_text.py).

A typical failure takes at most 30 lines. Plain text is the same everywhere; colour is only added for a terminal, and
``rich`` only imported then.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import ENTERED, Failure, FailureKind
from mazurka.replay.anchor import portable_path, source_text
from mazurka.report import predicted_text
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Finding
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.renderer import AnyReport
from mazurka.report.report import Suppressed
from mazurka.report.table import Line, table
from mazurka.report.targets_table import summary_lines
from mazurka.report.words import counted, cut, printable, shorten
from mazurka.trace.event import Location

_NARROWEST: Final = 60
_OUTPUT_LINES: Final = 6
_NAMED: Final = 3

#: The headlines of threads that wait for ever; the sentence lists the waits.
_STUCK: Final = {
    FailureKind.DEADLOCK: "deadlock: threads wait for one another",
    FailureKind.BLOCKED: "blocked: a thread waits for ever",
    FailureKind.LIVELOCK: "livelock: threads loop without progress",
}

_STYLES: Final = {Verdict.VIOLATION: "bold red", Verdict.VERIFIED: "bold green", Verdict.INCONCLUSIVE: "bold yellow"}


def make(*, width: int, colour: bool) -> TextRenderer:
    """See :class:`mazurka.report.render.RendererFactory`."""
    return TextRenderer(max(width, _NARROWEST), colour)


@dataclass(frozen=True, slots=True)
class TextRenderer:
    """Text of at most ``width`` columns, except for tokens and commands, which users copy."""

    width: int
    colour: bool

    def render(self, report: AnyReport) -> str:
        """The whole report; of several targets one after the other, then a table of them."""
        if isinstance(report, CheckReport) and report.parts:
            return "\n".join([*map(self.render_part, report.parts), self.render_summary(report)])
        lines: list[Line] = []
        for number, finding in enumerate(report.findings, 1):
            which = f" {number} of {len(report.findings)}" if len(report.findings) > 1 else ""
            lines += [*self._finding(finding, report.root, which), Line("")]
        if isinstance(report, PredictionReport):
            lines += self._wrapped(predicted_text.closing_lines(report))
        else:
            lines += self._closing(report)
        return self._finish(lines)

    def render_part(self, report: CheckReport) -> str:
        """The report on one of several targets; one line where there was nothing to explore."""
        if report.explored_nothing:
            return self._finish(self._paragraph(f"{report.target}: {report.reason}"))
        return self.render(report)

    def render_summary(self, report: CheckReport) -> str:
        """The table of a report on several targets."""
        *rows, counts = summary_lines(report, self.width)
        return self._finish([*map(Line, rows), Line(""), Line(counts, _STYLES[report.verdict])])

    def render_finding(self, finding: Finding, root: str = "") -> str:
        """One finding alone, as a test's failure section shows it."""
        return self._finish(self._finding(finding, root))

    def _finding(self, finding: Finding, root: str, which: str = "") -> list[Line]:
        """The lines of one finding; ``which`` is its number among several (`` 1 of 3``)."""
        if finding.failure is None:
            return self._wrapped(predicted_text.finding_lines(finding, which), "bold red")
        return self._failed(finding, finding.failure, root, f"violation{which}")

    def _failed(self, finding: Finding, failure: Failure, root: str, heading: str) -> list[Line]:
        """The failure of an execution: its message, place, cause and interleaving, and the command that replays it."""
        headline = _STUCK.get(failure.kind) or _first_line(failure.message) or failure.kind_name
        lines = [Line(self._cut(f"{heading}: {headline}"), "bold red")]
        if finding.location is not None:
            lines.append(Line(self._cut(_where(finding.location, root, f", {finding.label}"))))
        if failure.location is not None and failure.location != finding.location:
            lines.append(Line(self._cut(_where(failure.location, root)), "dim"))
        lines += [Line(""), *self._paragraph(finding.explanation.sentence)]
        if not finding.explanation.rows and finding.witness is None:  # there was no time to explain it
            return lines
        lines += [Line("")]
        lines += table(finding.explanation, self.width, root)
        lines += self._output(finding.output)
        lines += [Line(""), *self._inputs(finding), *self._proof(finding)]
        if finding.replay:
            lines += [Line(f"Replay: {finding.replay}", "bold")]
        if finding.token and finding.token not in finding.replay:
            lines.append(Line(f"Token:  {finding.token}", "dim"))
        return lines

    def _inputs(self, finding: Finding) -> list[Line]:
        """The values of unknown inputs."""
        if not finding.inputs:
            return []
        return self._paragraph("Inputs: " + ", ".join(f"{name} = {value}" for name, value in finding.inputs))

    def _proof(self, finding: Finding) -> list[Line]:
        """The checks that the failure has passed."""
        witness = finding.witness
        if witness is None:
            return []
        replayed = "replayed" if finding.replayed else "not replayed: it did not fail in the same way again"
        if witness.checked:
            return [Line(f"Proof:  witness checked ({counted(witness.events, 'event')}), {replayed}")]
        untracked = f"{replayed}; witness not checked, since untracked operations change shared state:"
        return [*self._paragraph(f"Proof:  {untracked} {witness.contradictions[0]}")]

    def _closing(self, report: CheckReport) -> list[Line]:
        """The verdict, unless failures show it, and the coverage of the search."""
        if report.error:
            return [*self._paragraph(f"{report.target}: error: {report.error}")]
        done = (
            f"{report.target}: {counted(report.executions, 'execution')} in {_seconds(report.seconds)} "
            f"({report.strategy}, {report.memory_model})"
        )
        lines: list[Line] = []
        match report.verdict:
            case Verdict.VIOLATION:
                lines += self._paragraph(f"{done}; {report.reason}" if report.reason else done)
            case Verdict.VERIFIED:
                assuming = f", assuming that {report.assuming}" if report.assuming else ""
                lines.append(Line(f"verified: no order of the threads fails{assuming}", _STYLES[report.verdict]))
                lines += [*self._paragraph(done), *self._covered(report)]
            case Verdict.INCONCLUSIVE:
                reason = report.reason or "the search did not end"
                found = "" if report.inconsistencies or report.suppressed else "nothing found, but "
                lines.append(Line(f"inconclusive: {found}{reason}", _STYLES[report.verdict]))
                lines += [*self._paragraph(done), *self._partly_covered(report)]
        entered = {name.removeprefix(ENTERED): n for name, n in report.untracked.items() if name.startswith(ENTERED)}
        untracked = {name: n for name, n in report.untracked.items() if not name.startswith(ENTERED)}
        lines += self._named(ENTERED.rstrip(": "), dict.fromkeys(entered, 1))
        lines += self._named("untracked (threads share the objects used there)", untracked)
        lines += self._named("uncontrolled (not scheduled)", report.uncontrolled)
        for each in report.suppressed:
            lines += self._paragraph(
                f"suppressed: {_first_line(each.failure.message)}{_at(each, report.root)} ({each.by})"
            )
        for unused in report.unused:
            lines += self._paragraph(f"unused suppression: {unused}")
        for inconsistency in report.inconsistencies:
            lines += self._paragraph(f"error: {inconsistency}")
        for note in report.notes:
            lines += self._paragraph(f"note: {note}")
        if report.advice:
            lines += self._paragraph(f"advice: {report.advice}")
        return lines

    def _partly_covered(self, report: CheckReport) -> list[Line]:
        """The coverage of a search that did not end."""
        if report.coverage is None:
            return []
        lines = [line for sentence in report.coverage.sentences() for line in self._paragraph(sentence)]
        if report.coverage.preemptions is None:
            return lines
        return [*lines, *self._paragraph("assumed: " + "; ".join(report.scope.assumptions))]

    def _covered(self, report: CheckReport) -> list[Line]:
        scope = report.scope
        covered = (
            f"covered: {counted(scope.threads, 'thread')}, "
            f"at most {counted(scope.points, 'scheduling point')} per execution; "
            f"{report.reason or 'no order with another outcome is left'}"
        )
        return [*self._paragraph(covered), *self._paragraph("assumed: " + "; ".join(scope.assumptions))]

    def _named(self, title: str, counts: Mapping[str, int]) -> list[Line]:
        if not counts:
            return []
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        named = [f"{name} ({count} times)" if count > 1 else name for name, count in ordered[:_NAMED]]
        more = [f"{len(ordered) - _NAMED} more"] if len(ordered) > _NAMED else []
        return self._paragraph(f"{title}: {', '.join(named + more)}")

    def _output(self, output: str) -> list[Line]:
        printed = output.splitlines()
        if not printed:
            return []
        title = "The failing run printed:"
        if len(printed) > _OUTPUT_LINES:
            title = f"The failing run printed {len(printed)} lines, in the end:"
        return [
            Line(""),
            Line(title),
            *(Line(self._cut(f"  | {printable(text)}"), "dim") for text in printed[-_OUTPUT_LINES:]),
        ]

    def _paragraph(self, text: str) -> list[Line]:
        wrapped = textwrap.wrap(text, self.width, subsequent_indent="  ", break_long_words=False)
        return [Line(printable(line)) for line in wrapped]

    def _wrapped(self, texts: Iterable[str], first: str = "") -> list[Line]:
        """Lines, wrapped to indented ones if they are too long; the first has a style."""
        lines: list[Line] = []
        for number, text in enumerate(map(printable, texts)):
            within = " " * (len(text) - len(text.lstrip()) + 4)
            parts = textwrap.wrap(
                text, self.width, subsequent_indent=within, break_long_words=False, break_on_hyphens=False
            )
            lines += [Line(part, "" if number else first) for part in parts or [""]]
        return lines

    def _cut(self, text: str) -> str:
        return cut(text, self.width)

    def _finish(self, lines: list[Line]) -> str:
        if not self.colour:
            return "".join(f"{line.text}\n" for line in lines)
        return _coloured(lines, self.width)


def _where(location: Location, root: str, who: str = "") -> str:
    """A line about a place, with its source."""
    place = f"{portable_path(location.file, root)}:{location.line}"
    function = f" in {location.function}" if location.function and not location.function.startswith("<") else ""
    text = source_text(location)
    return f"  {place}{function}{who}" + (f": {text}" if text else "")


def _first_line(message: str) -> str:
    lines = [line for line in message.splitlines() if line.strip()]
    return shorten(lines[0], 200) + (" ..." if len(lines) > 1 else "") if lines else ""


def _at(suppressed: Suppressed, root: str) -> str:
    location = suppressed.failure.location
    return "" if location is None else f", {portable_path(location.file, root)}:{location.line}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def _coloured(lines: list[Line], width: int) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    console = Console(file=StringIO(), force_terminal=True, width=max(width, 4000), highlight=False, soft_wrap=True)
    with console.capture() as captured:
        for line in lines:
            console.print(Text(line.text, style=line.style))
    return captured.get()
