"""The machine in words."""

import os
import platform
from pathlib import Path

from cases.benchmarks.competitors.protocol import version_of

PACKAGES = ("numpy", "scipy", "numba", "highspy", "python-flint")


def machine() -> dict[str, str]:
    """Processor, memory, system and Python, with the versions that all rows share."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    found = {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    return found | {package: version for package in PACKAGES if (version := version_of(package))}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
