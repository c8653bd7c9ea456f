"""Causal graphs of findings in the language of Graphviz: ``mazurka check ... --format dot | dot -Tsvg``.

Language: https://graphviz.org/doc/info/lang.html. All texts are quoted strings, in which only quotation marks and
backslashes are special; control characters are shown as escapes.
"""

from __future__ import annotations

from collections.abc import Iterator

from mazurka.lazy_dataclass import dataclass
from mazurka.report.causal_graph import CONFLICT, CausalGraph, Edge, graph_of
from mazurka.report.report import Report
from mazurka.report.words import one_line


def make(*, width: int, colour: bool) -> DotRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return DotRenderer()


@dataclass(frozen=True, slots=True)
class DotRenderer:
    """One directed graph, with a cluster for each finding, and in it one for each thread."""

    def render(self, report: Report) -> str:
        """The whole report."""
        lines = [f"digraph {_quoted('mazurka')} {{", '  node [shape=box, fontname="monospace"];']
        for number, finding in enumerate(report.findings):
            lines += [f"  {line}" for line in _cluster(graph_of(finding, report), number)]
        if not report.findings:
            lines.append(f"  label={_quoted(report.conclusion.words)};")
        return "\n".join([*lines, "}", ""])


def _cluster(graph: CausalGraph, number: int) -> Iterator[str]:
    yield f"subgraph cluster_{number} {{"
    yield f"  label={_quoted(graph.title)};"
    for at, (label, places) in enumerate(graph.threads.items()):
        yield f"  subgraph cluster_{number}_{at} {{"
        yield f"    label={_quoted(label)};"
        for place in places:
            node = graph.nodes[place]
            text = "\n".join(filter(None, (node.text, node.place, node.source)))
            style = ", color=red, penwidth=2" if node.is_conflicting else ""
            yield f"    n{number}_{place} [label={_quoted(text)}{style}];"
        yield "  }"
    for edge in graph.edges:
        yield f"  n{number}_{edge.first} -> n{number}_{edge.second}{_style(edge)};"
    yield "}"


def _style(edge: Edge) -> str:
    if not edge.label:
        return " [color=gray, weight=4]"
    label = _quoted(f"{edge.label}\n{edge.target}")
    if edge.label == CONFLICT:
        return f" [label={label}, color=red, style=bold, dir=none, constraint=false]"
    return f" [label={label}, style=dashed]"


def _quoted(text: str) -> str:
    lines = [one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + "\\n".join(lines) + '"'
