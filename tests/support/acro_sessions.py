"""Invented sessions of ACRO: a `results.json` with its CSV files."""

import json
from pathlib import Path
from typing import Any

SUPPRESSED = "year,G,N,R\n2010,79,41,\n2011,87,42,\n2012,81,64,12.0\n"
MARGINS = "year,G,N,R,All\n2010,79,41,3,123\n2011,87,42,1,130\n2012,81,64,12,157\nAll,247,147,16,410\n"
NESTED = (
    "year,sex,G,N\n2010,F,50,20\n2010,M,29,21\n2011,F,40,22\n2011,M,47,20\n2012,F,41,30\n2012,M,40,34\nAll,,247,147\n"
)
ACROSS = ",A,A,All\n,x,y,\nyear,,,\n2010,10,20,30\n2011,11,21,32\nAll,21,41,62\n"
SUMS = "year,G,N\n2010,15502.850000000001,8994.89\n2011,18134.86,\n"


def output(file: str, variables: list[str], columns: list[str], **more: Any) -> dict[str, Any]:
    checks = more.pop("checks", {})
    return {
        "uid": file.partition(".")[0],
        "status": "review",
        "type": "table",
        "properties": {"method": "crosstab", "mitigation": "suppress"},
        "files": [{"name": file, "sdc": {"summary": {}, "cells": checks}}],
        "outcome": {column: {} for column in columns},
        "command": "acro.crosstab(df.year, df.grant)",
        "fair": {"statbarn": "Frequencies", "dependent": "unknown", "independent": variables},
        **more,
    }


FIRST = output("a.csv", ["year", "grant"], ["G", "N", "R"], checks={"MinimumThresholdCheck": [[0, 2], [1, 2]]})


def session(path: Path, results: dict[str, Any], files: dict[str, str], threshold: int | None = 10) -> Path:
    for name, text in files.items():
        (path / name).write_text(text)
    if threshold is not None:
        (path / "config.json").write_text(json.dumps({"safe_threshold": threshold}))
    (path / "results.json").write_text(json.dumps({"version": "1.0.2", "results": results}, indent=4))
    return path / "results.json"
