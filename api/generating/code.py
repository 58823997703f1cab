"""A request as code that asks for the same table again."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from tableseal.audit.io.yaml_out import write_document


def as_code(url: str, hypercube: str, document: Mapping[str, Any]) -> Mapping[str, str]:
    """Language -> code: the request itself, and programs that ask a service at this address for the values."""
    body = json.dumps({"hypercube": hypercube, "request": document}, ensure_ascii=False)
    return {"YAML": write_document(dict(document)), "curl": _curl(url, body), "Python": _python(url, body)}


def _curl(url: str, body: str) -> str:
    lines = [
        'curl -sS -H "Authorization: Bearer $TABLESEAL_KEY" \\',
        "  -H 'Content-Type: application/json' -H 'Accept: text/csv' \\",
        f"  --data {shlex.quote(body)} \\",
        f"  {shlex.quote(f'{url}/v1/tables')}",
    ]
    return "\n".join(lines) + "\n"


def _python(url: str, body: str) -> str:
    return f"""import json
import os
from urllib.request import Request, urlopen

asked = json.loads({body!r})
headers = {{
    "Authorization": f"Bearer {{os.environ.get('TABLESEAL_KEY', '')}}",
    "Content-Type": "application/json",
    "Accept": "text/csv",
}}
request = Request({f"{url}/v1/tables"!r}, json.dumps(asked).encode(), headers)
with urlopen(request) as answer:
    print(answer.read().decode())
"""
