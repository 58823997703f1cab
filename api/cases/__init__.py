"""The shipped cases: releases with answers that are published or were verified independently; and their comparison."""

from tableseal.api.cases.case import Case, Expected, Run, case_names, cases_folder, copy_case, folder_of, load_case
from tableseal.api.cases.runner import Comparison, run_case

__all__ = [
    "Case",
    "Comparison",
    "Expected",
    "Run",
    "case_names",
    "cases_folder",
    "copy_case",
    "folder_of",
    "load_case",
    "run_case",
]
