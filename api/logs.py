"""What the service logs: ids and states, never values, codes or file names."""

import json
import logging
import re
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal

REQUEST: ContextVar[str | None] = ContextVar("request", default=None)
"""Id of the request that is being answered."""

Style = Literal["text", "json"]


def log_to_stderr(style: Style = "text") -> None:
    """Log this program's messages, and warnings of others, on standard error; json: one object a line."""
    handler = logging.StreamHandler()
    text = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler.setFormatter(JsonLines() if style == "json" else TextLines(text))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in ("tableseal", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.INFO)


def fields(**found: object) -> Mapping[str, Any]:
    """`extra` of a log call: what JSON lines say beside the message."""
    return {"tableseal": found}


_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def trace_of(error: BaseException | None) -> str:
    """Frames and types of an error and of those that led to it; not their messages, which may hold values."""
    parts: list[str] = []
    while error is not None:
        frames = _frames_elsewhere(error) or traceback.format_tb(error.__traceback__)
        parts.insert(0, "".join([*frames, type(error).__qualname__]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(parts)


class TextLines(logging.Formatter):
    """Lines of text. Of errors they say where they happened and of which type they are, not what they say."""

    def formatException(self, ei: _Raised) -> str:  # noqa: N802
        """As `trace_of`."""
        return trace_of(ei[1])


_FRAME = re.compile(r'  File "[^"\n]+", line \d+, in \S+\n')


def _frames_elsewhere(error: BaseException) -> list[str]:
    """Frames in another process, of which `concurrent.futures` has only the text."""
    text = getattr(error, "tb", None)
    return _FRAME.findall(text) if isinstance(text, str) else []


class JsonLines(TextLines):
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
