"""Causal graphs of findings as Mermaid flowcharts, which GitHub and others draw in Markdown.

Language: https://mermaid.js.org/syntax/flowchart.html. Texts are in quotation marks; characters that mean something to
Mermaid, or in the HTML that it makes, are written as its entity codes (``#quot;``, ``#35;``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.report.causal_graph import CONFLICT, CausalGraph, Edge, graph_of
from mazurka.report.report import Report
from mazurka.report.words import one_line

#: Characters that are written as they are; all others but letters and digits by their numbers.
_PLAIN: Final = frozenset(" .,:=+-/_()!?'")


def make(*, width: int, colour: bool) -> MermaidRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return MermaidRenderer()


@dataclass(frozen=True, slots=True)
class MermaidRenderer:
    """One flowchart, with a subgraph for each finding, and in it one for each thread."""

    def render(self, report: Report) -> str:
        """The whole report."""
        lines = ["flowchart TD", "  classDef conflict stroke:#d00,stroke-width:3px"]
        for number, finding in enumerate(report.findings):
            lines += [f"  {line}" for line in _subgraph(graph_of(finding, report), number)]
        if not report.findings:
            lines.append(f"  none[{_quoted(report.conclusion.words)}]")
        return "\n".join([*lines, ""])


def _subgraph(graph: CausalGraph, number: int) -> Iterator[str]:
    yield f"subgraph f{number}[{_quoted(graph.title)}]"
    for at, (label, places) in enumerate(graph.threads.items()):
        yield f"  subgraph f{number}t{at}[{_quoted(label)}]"
        for place in places:
            node = graph.nodes[place]
            mark = ":::conflict" if node.is_conflicting else ""
            yield f"    n{number}x{place}[{_quoted(node.text, node.place)}]{mark}"
        yield "  end"
    for edge in graph.edges:
        yield f"  n{number}x{edge.first} {_link(edge)} n{number}x{edge.second}"
    yield "end"


def _link(edge: Edge) -> str:
    if not edge.label:
        return "-->"
    line = "<-.->" if edge.label == CONFLICT else "-.->"
    return f"{line}|{_quoted(edge.label, edge.target)}|"


def _quoted(*texts: str) -> str:
    return '"' + "<br>".join(_escaped(one_line(text)) for text in texts if text) + '"'


def _escaped(text: str) -> str:
    return "".join(each if each in _PLAIN or each.isalnum() else f"#{ord(each)};" for each in text)
