"""The table of a validation on the screen, and its summary in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contactlib.validation.cases import KINDS, Case
from contactlib.validation.compare import Check, Outcome

_NARROWEST = 100  # characters


def comparison_table(outcomes: Sequence[Outcome], width: int = 160, every: bool = False) -> str:
    """Return the table of outcomes: a line for each case, with the quantity that uses most of its tolerance.

    Parameters
    ----------
    outcomes : from `run_cases`.
    width : of the screen, characters; long texts are cut. With `every`, nothing is cut.
    every : a line for each quantity of each case.
    """
    rows = [_heading()]
    for outcome in outcomes:
        shown: Sequence[Check | None] = outcome.checks if every and outcome.checks else [outcome.worst]
        rows += [_row(outcome, check, every) for check in shown]
    widths = _widths(rows, None if every else max(width, _NARROWEST))
    return "\n".join("  ".join(_cell(text, size, right) for text, size, right in zip(row, widths, _RIGHT, strict=True))
                     .rstrip() for row in rows)


_TITLES = ("case", "kind of truth", "source", "quantity", "reference", "ours", "tolerance", "used", "verdict",
           "reason of the tolerance")
_RIGHT = (False, False, False, False, True, True, True, True, False, False)
#: columns that are cut to fit the screen, and their shares of what is left
_FLEXIBLE = {2: 0.28, 3: 0.34, 9: 0.38}


def _heading() -> tuple[str, ...]:
    return _TITLES


def _row(outcome: Outcome, check: Check | None, every: bool) -> tuple[str, ...]:
    case = outcome.case
    if check is None:
        why = outcome.error or outcome.missing
        return (case.name, case.kind, case.source, why, "", "", "", "", outcome.verdict, "")
    of_all = f" (worst of {len(outcome.checks)})" if len(outcome.checks) > 1 and not every else ""
    verdict = outcome.verdict if not every else _verdict(outcome, check)
    return (case.name, case.kind, case.source, f"{check.name} [{check.unit}]{of_all}", f"{check.reference:.6g}",
            f"{check.ours:.6g}", f"{check.tolerance:.2g}", percent(check.used), verdict, check.reason)


def _verdict(outcome: Outcome, check: Check) -> str:
    good, bad = ("ok", "MISSED") if outcome.case.is_evidence else ("same", "CHANGED")
    return good if check.passed else bad


def percent(used: float) -> str:
    """Return the used share of a tolerance as text.

    Examples
    --------
    >>> percent(0.256), percent(0.0001), percent(float("inf"))
    ('26 %', '<1 %', 'beyond')
    """
    if used > 99.0:
        return "beyond"
    return "<1 %" if 0.0 < used < 0.01 else f"{100 * used:.0f} %"


def _widths(rows: Sequence[Sequence[str]], width: int | None) -> list[int]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    if width is None or sum(widths) + 2 * (len(widths) - 1) <= width:
        return widths
    left = width - 2 * (len(widths) - 1) - sum(size for k, size in enumerate(widths) if k not in _FLEXIBLE)
    for column, share in _FLEXIBLE.items():
        widths[column] = max(8, min(widths[column], int(share * left)))
    return widths


def _cell(text: str, size: int, right: bool) -> str:
    cut = text if len(text) <= size else text[: size - 1] + "…"
    return cut.rjust(size) if right else cut.ljust(size)


def sentences(outcomes: Sequence[Outcome], fmu: bool) -> list[str]:
    """Return the result in sentences: how many cases of which kind, what was missed, and the own recordings."""
    not_run = [outcome for outcome in outcomes if not outcome.was_run]
    outcomes = [outcome for outcome in outcomes if outcome.was_run]
    evidence = [outcome for outcome in outcomes if outcome.case.is_evidence]
    own = [outcome for outcome in outcomes if not outcome.case.is_evidence]
    kinds = Counter(outcome.case.kind for outcome in evidence)
    numbers = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
    checks = sum(len(outcome.checks) for outcome in evidence)
    passed = sum(outcome.passed for outcome in evidence)
    found = [f"{passed} of {len(evidence)} cases with outside truth hold{' through FMUs' if fmu else ''} ({numbers}; "
             f"{checks} comparisons)."]
    if own:
        same = sum(outcome.passed for outcome in own)
        found.append(f"{same} of {len(own)} own recordings are unchanged; these are evidence of nothing.")
    found += [f"Not run: {outcome.case.name} {outcome.missing}." for outcome in not_run]
    missed = [outcome.case.name for outcome in outcomes if not outcome.passed]
    if missed:
        found.append(f"Not met: {', '.join(missed)}.")
    return found


def case_list(cases: Sequence[Case]) -> str:
    """Return the list of cases: name, kind of truth, duration, whether an FMU can run it, and title."""
    size = max(len(case.name) for case in cases)
    return "\n".join(f"{case.name:<{size}}  {case.kind:<13}  {case.seconds:>5.1f} s  "
                     f"{'fmu' if case.has_fmu_run else '   '}  {case.title}" for case in cases)
