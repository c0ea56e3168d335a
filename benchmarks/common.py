"""What the benchmarks share: the machine's description, and writing a result down."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path


def machine(*packages: str) -> dict[str, object]:
    """Processor, cores, load of the last minute, and versions of Python and the packages named."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": sys.version.split()[0],
        **{name: version(name) for name in packages},
    }


def told(found: object, out: Path | None) -> None:
    """Print a result as JSON, and write it to a file where one is named."""
    text = json.dumps(found, indent=2)
    print(text)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")


def _processor() -> str:
    """The processor's name as Linux tells it, or what the platform knows."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
