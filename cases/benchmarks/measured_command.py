"""Our command in a process of its own that tells its peak memory: python -m ...measured_command RESULT ARGUMENT..."""

import sys
from pathlib import Path

from cases.benchmarks.process import peak_megabytes


def main() -> None:
    """Run the command with the arguments after the first, then write the megabytes to the first."""
    result = Path(sys.argv[1])
    sys.argv = ["tableseal", *sys.argv[2:]]
    from tableseal.api.cli import main as command

    try:
        command()
    finally:
        result.write_text(f"{peak_megabytes():.1f}", "utf-8")


if __name__ == "__main__":
    main()
