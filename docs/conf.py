"""The documentation site: Sphinx reads the Markdown pages of this folder. `python3 do.py docs` builds it.

Nothing is loaded from elsewhere, so that it works offline. Every warning is an error: a broken link, a page in no menu.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers.special import TextLexer
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).parent))  # for `generated`
sys.path.insert(0, str(Path(__file__).parents[1]))  # for `tableseal`, where it is not installed

from generated import expanded

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "tableseal"
html_title = project
extensions = ["myst_parser"]
suppress_warnings = ["misc.highlighting_failure"]  # SAS macros, which its lexer does not know to the end
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False  # they would make a dash of the two of an option
myst_heading_anchors = 4

BLOCK = re.compile(r"^```(\w+) ([^\n{]+)\n", re.MULTILINE)
"""A block with a word for the tests behind its language."""

ELSEWHERE = re.compile(r'(?:<(?:script|img|iframe)[^>]*\ssrc|<link[^>]*\shref)="(?:https?:)?//[^"]+"')


def shown(information: re.Match[str]) -> str:
    """The block as a directive: files with their name, what a command says as such."""
    language, word = information.groups()
    option = f":caption: {word.removeprefix('file=')}" if word.startswith("file=") else f":class: {word.split()[0]}"
    return f"```{{code-block}} {language}\n{option}\n\n"


def prepared(app: "Sphinx", name: str, source: list[str]) -> None:
    """A page before it is parsed: generated parts put in, blocks with what stands beside their language."""
    source[0] = BLOCK.sub(shown, expanded(source[0]))


def offline(app: "Sphinx", exception: Exception | None) -> None:
    """The end of a build: no page loads anything from elsewhere (links that a reader follows are another matter)."""
    for page in Path(app.outdir).rglob("*.html") if exception is None else ():
        found = ELSEWHERE.search(page.read_text("utf-8"))
        if found:
            raise ExtensionError(f"{page.name} loads something from elsewhere: {found[0]}")


def setup(app: "Sphinx") -> None:
    """Called by Sphinx."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", prepared)
    app.connect("build-finished", offline)
