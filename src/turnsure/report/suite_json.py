"""A suite as JSON: everything that is shown but the conversations, which stand in the folder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from turnsure.core.suite_report import SuiteReport
from turnsure.store.json_files import plain


def suite_json(report: SuiteReport) -> str:
    """The text."""
    result, confidence = report.result, report.confidence
    body: dict[str, Any] = {
        "format": 1,
        "kind": "test-report",
        "outcome": plain(report.outcome),
        "folder": result.folder,
        "assistant": dict(result.assistant),
        "user": dict(result.user),
        "judge": None if result.judge is None else dict(result.judge),
        "seed": result.seed,
        "counts": plain(report.counts),
        "failures": plain(report.failures),
        "undecided": plain(report.undecided),
        "verdicts": plain(result.verdicts),
        "judgements": [
            {"scenario": scenario, "replicate": replicate, **plain(one)}
            for scenario, replicate, one in result.judgements
        ],
        "cost": plain(result.cost),
        "confidence": None if confidence is None else plain(replace(confidence, turns=())),
    }
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
