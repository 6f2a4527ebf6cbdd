"""The report of a validation: one HTML file without links to anything outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from contactlib.common.files import write_text
from contactlib.validation.cases import KINDS, OWN
from contactlib.validation.compare import Check, Outcome, all_hold
from contactlib.validation.page import KIND_TEXTS, PAGE
from contactlib.validation.table import percent, sentences

_PLOTS = 8  # of one case
_COLOURS = {"ok": "good", "same": "own", "MISSED": "bad", "ERROR": "bad", "CHANGED": "bad", "not run": "own"}


def write_validation_report(path: str | Path, outcomes: Sequence[Outcome], *, versions: Mapping[str, str],
                            machine: Mapping[str, str], command: str, fmu: bool = False) -> Path:
    """Write the report: result, kinds of truth, what is covered, versions, machine, and a section for each case.

    Parameters
    ----------
    path : the HTML file.
    outcomes : from `run_cases`.
    versions, machine, command : what ran, where, and by which command (`contactlib.validation.environment`).
    fmu : the cases ran through FMUs.

    Without matplotlib, the series have no plots, and the report says so.
    """
    passed = all_hold(outcomes)
    text = PAGE.format(
        verdict="All cases hold" if passed else "Not all cases hold",
        colour="good" if passed else "bad",
        how="the exported FMUs, in FMPy" if fmu else "the Python module",
        sentences="".join(f"<p>{escape(sentence)}</p>" for sentence in sentences(outcomes, fmu)),
        kinds=_kinds(outcomes), overview=_overview(outcomes), coverage=_coverage(outcomes),
        versions=_pairs(versions), machine=_pairs(machine), command=escape(command),
        cases="\n".join(_section(outcome) for outcome in outcomes))
    return write_text(Path(path), text)


def _pairs(values: Mapping[str, str]) -> str:
    return "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in values.items())


def _kinds(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for kind in KINDS:
        found = [outcome for outcome in outcomes if outcome.case.kind == kind and outcome.was_run]
        comparisons = sum(len(outcome.checks) for outcome in found)
        hold = f"{sum(outcome.passed for outcome in found)} of {len(found)}"
        rows.append(f"<tr><td>{kind}</td><td>{escape(KIND_TEXTS[kind])}</td><td class=n>{hold}</td>"
                    f"<td class=n>{comparisons}</td></tr>")
    return "".join(rows)


def _overview(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        case, worst = outcome.case, outcome.worst
        cells = (f"<td>{escape(worst.name)}</td>{_numbers(worst)}" if worst is not None
                 else f"<td colspan=6>{escape(outcome.error or outcome.missing)}</td>")
        rows.append(f'<tr><td><a href="#{escape(case.name)}">{escape(case.name)}</a></td><td>{case.kind}</td>'
                    f"<td class=source>{escape(case.source)}</td>{cells}<td>{_badge(outcome.verdict)}</td></tr>")
    return "\n".join(rows)


def _numbers(check: Check) -> str:
    unit = "" if check.unit == "1" else f" {escape(check.unit)}"
    return (f"<td class=n>{check.reference:.7g}</td><td class=n>{check.ours:.7g}{unit}</td>"
            f"<td class=n>{check.deviation:.2g}</td><td class=n>{check.tolerance:.2g}</td>"
            f"<td class=n>{_bar(check.used)}</td>")


def _bar(used: float) -> str:
    """The used share of a tolerance, as a bar and in numbers."""
    width = 100.0 if not math.isfinite(used) else min(100.0, 100.0 * used)
    colour = "good" if used <= 1.0 else "bad"
    return (f'<span class=bar><span class={colour} style="width:{width:.0f}%"></span></span>'
            f"<span class=used>{escape(percent(used))}</span>")


def _badge(verdict: str) -> str:
    return f'<span class="badge {_COLOURS[verdict]}">{verdict}</span>'


def _coverage(outcomes: Sequence[Outcome]) -> str:
    """Rows: what is covered, and by which cases with outside truth."""
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        for item in outcome.case.covers if outcome.case.kind != OWN and outcome.was_run else ():
            found.setdefault(item, []).append(outcome.case.name)
    rows = []
    for item in sorted(found):
        links = ", ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in found[item])
        rows.append(f"<tr><td>{escape(item)}</td><td>{links}</td></tr>")
    return "\n".join(rows)


def _section(outcome: Outcome) -> str:
    case = outcome.case
    note = "" if case.is_evidence else ("<p class=note>This is a recording of this project. It guards against change "
                                        "and is evidence of nothing.</p>")
    error = f"<p class=error>The case failed to run: {escape(outcome.error)}</p>" if outcome.error else ""
    if outcome.missing:
        error = f"<p class=note>The case was not run: it {escape(outcome.missing)}.</p>"
    rows = "\n".join(
        f"<tr><td>{escape(check.name)}</td>{_numbers(check)}<td>{_badge(_verdict(outcome, check))}</td>"
        f"<td class=reason>{escape(check.reason)}</td></tr>" for check in outcome.checks)
    table = (f"<table><tr><th>Quantity</th><th class=n>Reference</th><th class=n>Ours</th><th class=n>Deviation</th>"
             f"<th class=n>Tolerance</th>"
             f"<th class=n>Used</th><th>Verdict</th><th>Reason of the tolerance</th></tr>{rows}</table>"
             if outcome.checks else "")
    covers = f"<dt>Covers</dt><dd>{escape(', '.join(case.covers))}</dd>" if case.covers else ""
    return f"""<section id="{escape(case.name)}">
<h2>{escape(case.title)} {_badge(outcome.verdict)}</h2>
<dl><dt>Case</dt><dd><code>{escape(case.name)}</code>, {outcome.seconds:.1f} s</dd>
<dt>Kind of truth</dt><dd>{case.kind}: {escape(KIND_TEXTS[case.kind])}</dd>
<dt>Source</dt><dd>{escape(case.source)}</dd>
<dt>Reference made by</dt><dd>{escape(case.made_by)}</dd>{covers}</dl>
{note}{error}{table}
{_pictures(outcome)}
<details><summary>Description of the case (README.md)</summary><pre>{escape(case.readme)}</pre></details>
</section>"""


def _verdict(outcome: Outcome, check: Check) -> str:
    good, bad = ("ok", "MISSED") if outcome.case.is_evidence else ("same", "CHANGED")
    return good if check.passed else bad


def _pictures(outcome: Outcome) -> str:
    series = [check for check in outcome.checks if check.curve is not None]
    if not series:
        return ""
    curves = sorted(series, key=lambda check: -check.used)[:_PLOTS]
    left_out = (f"<p class=note>Plots of the {_PLOTS} of {len(series)} series that use most of their tolerances.</p>"
                if len(series) > _PLOTS else "")
    try:
        from contactlib.validation.plots import series_picture

        return left_out + "\n".join(f'<img alt="{escape(check.name)}: ours, the reference and their difference" '
                         f'src="{series_picture(check)}">' for check in curves)
    except ImportError:
        return '<p class=note>No plots: matplotlib is not installed (pip install "contactlib[plot]").</p>'
