"""Where a suite's report and what it is made of stand, beside the suite itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Paths inside one folder."""

    folder: Path

    @property
    def settings(self) -> Path:
        """How the suite is counted, and whether a confidence belongs to it."""
        return self.folder / "settings.json"

    @property
    def confidence(self) -> Path:
        return self.folder / "confidence.json"

    @property
    def turns(self) -> Path:
        return self.folder / "turns.parquet"

    @property
    def page(self) -> Path:
        return self.folder / "report.html"
