"""A report for a notebook: its page in a frame, with the text below it.

The page runs its own script, and nothing else (render_html.py); within the frame it has an origin of its own, so that
it can't reach the notebook. A viewer that admits no frames shows the text, which can be opened; one without HTML, too.

Cost: the size of the page, about 0.1 MB more than its data.
"""

from __future__ import annotations

import html
from typing import Final

#: The height of the frame, in pixels.
_HEIGHT: Final = 640


def framed(page: str, text: str) -> str:
    """HTML that shows the page of a report, and its text."""
    source = html.escape(page, quote=True)
    look = f'title="Mazurka" height="{_HEIGHT}" style="width:100%;border:1px solid #8884;border-radius:8px"'
    return (
        f'<iframe sandbox="allow-scripts" {look} srcdoc="{source}"></iframe>'
        f"<details><summary>Report as text</summary><pre>{html.escape(text)}</pre></details>"
    )
