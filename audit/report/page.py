"""What every self-contained page is made with: templates and assets, and hashes for the content security policy."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from tableseal.audit.language import speak

HOME = "tableseal.audit.report"
"""Package whose folder `templates` all pages share."""


@cache
def asset(name: str, package: str = HOME) -> str:
    """A file of a package's folder `templates`."""
    return files(package).joinpath("templates", name).read_text("utf-8")


def source_hash(text: str) -> str:
    """Source expression of an inline element for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def template(name: str, package: str = HOME) -> Any:
    """A template that escapes all it is given; those it imports are looked for in its own package, then here.

    Compiled once a process: that takes longer than a small page.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(wanted: str) -> str:
        own = files(package).joinpath("templates", wanted).is_file()
        return asset(wanted, package if own else HOME)

    environment = Environment(
        autoescape=True, loader=FunctionLoader(load), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    speak(environment)
    return environment.get_template(name)
