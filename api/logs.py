"""What the service logs: ids and states, never values, codes or file names."""

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

REQUEST: ContextVar[str | None] = ContextVar("request", default=None)
"""Id of the request that is being answered."""

Style = Literal["text", "json"]


def log_to_stderr(style: Style = "text") -> None:
    """Log this program's messages, and warnings of others, on standard error; json: one object a line."""
    handler = logging.StreamHandler()
    text = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler.setFormatter(JsonLines() if style == "json" else logging.Formatter(text))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("api").setLevel(logging.INFO)


def fields(**found: object) -> Mapping[str, Any]:
    """`extra` of a log call: what JSON lines say beside the message."""
    return {"tableseal": found}


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, request (its id), and the fields of the call."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request = REQUEST.get()
        if request is not None:
            said["request"] = request
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(said | getattr(record, "tableseal", {}), default=str)
