"""Result files: one file for a run, with its scene and tables (docs/results.md)."""

from contactlib.results.format import IncompleteWarning, ResultError
from contactlib.results.record import record
from contactlib.results.recovery import check, recover
from contactlib.results.result import Result, read_result
from contactlib.results.writer import ResultWriter

__all__ = ["IncompleteWarning", "Result", "ResultError", "ResultWriter", "check", "read_result", "record", "recover"]
