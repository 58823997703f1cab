"""Where the service logs: ids and states, never values, codes or file names."""

import logging


def log_to_stderr() -> None:
    """Log this program's messages, and warnings of others, on standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("api").setLevel(logging.INFO)
