"""Validation: runs the cases of validation_data/, compares them with references, and reports (docs/validation.md).

Main names
    find_cases : the cases of a folder
    run_cases : runs cases, in Python or through their FMUs, and returns one `Outcome` for each
    comparison_table : the table on the screen
    write_validation_report : the HTML page
"""

from contactlib.validation.cases import KINDS, OWN, Case, data_folder, find_cases
from contactlib.validation.compare import Check, Outcome
from contactlib.validation.html import write_validation_report
from contactlib.validation.run import run_cases
from contactlib.validation.table import comparison_table

__all__ = ["KINDS", "OWN", "Case", "Check", "Outcome", "comparison_table", "data_folder", "find_cases", "run_cases",
           "write_validation_report"]
