"""Sphinx' configuration of the site; `./dev docs` builds it from what stage.py writes."""
import re

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

project = "harp"
author = "the authors of harp"
copyright = "the authors of harp"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_title = "harp"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
primary_domain = "c"
smartquotes = False  # the pages quote code
toc_object_entries_show_parents = "hide"


class HarpLexer(RegexLexer):
    """The text format of graphs."""

    name = "harp"
    aliases = ["harp"]
    tokens = {
        "root": [
            (r"#.*", Comment),
            (r'"""(.|\n)*?"""', String),
            (r'"(\\.|[^"\\])*"', String),
            (words(("harp", "graph", "return", "shape", "in", "none", "true", "false", "nan", "inf"), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b(bool|[iu](8|16|32|64)|f16|bf16|f32|f64|complex64|complex128)\b", Keyword.Type),
            (r"[A-Za-z_]\w*(?=\()", Name.Function),
            (r"[A-Za-z_]\w*", Name),
            (r"0x[0-9a-fA-F]+|\d+(\.\d*)?(e[-+]?\d+)?", Number),
            (r"[-+*/%@<>=!&|^~]+", Operator),
            (r"\s+|.", Text),
        ]
    }


class AjisaiLexer(RegexLexer):
    """The notation of examples/ajisai."""

    name = "ajisai"
    aliases = ["ajisai"]
    flags = re.IGNORECASE
    tokens = {"root": [(r"#.*", Comment), (r"-?\d[\d.e]*|-?INF\b|NAN\b|TRUE\b|FALSE\b", Number), (r"[a-z][a-z-]*", Name.Function), (r"\s+|.", Text)]}


def setup(app):
    app.add_lexer("harp", HarpLexer)
    app.add_lexer("ajisai", AjisaiLexer)
