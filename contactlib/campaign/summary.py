"""Summary of a campaign: percentiles, success with its confidence interval, and the runs to examine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contactlib.campaign import plots
from contactlib.campaign.morris import Effect, elementary_effects
from contactlib.campaign.statistics import PERCENTILES, Proportion, percentiles, wilson
from contactlib.campaign.store import Results
from contactlib.common.files import write_text
from contactlib.report import run_report

Floats = NDArray[np.float64]
#: most runs that are named for each criterion, and most failed runs that are named
NAMED = 3


@dataclass(frozen=True)
class Case:
    """A run to examine, and the reason."""

    run: int
    why: str


def worst_cases(results: Results) -> list[Case]:
    """Return the runs to examine.

    These are the first failed runs, the runs with the least margin to each criterion, and the extremes of other
    metrics.
    """
    cases = [Case(int(results.run[i]), f"failed: {error}") for i, error in enumerate(results.errors) if error][:NAMED]
    for criterion in results.campaign.criteria:
        margin = criterion.margin(results.columns)
        for i in np.argsort(margin, kind="stable")[:NAMED]:
            if math.isnan(margin[i]):
                continue
            read = ", ".join(f"{name} = {results.columns[name][i]:.4g}" for name in sorted(criterion.reads))
            verb = "misses" if not criterion.holds(results.columns)[i] else "keeps"
            cases.append(Case(int(results.run[i]), f"{verb} {criterion.text} by {abs(margin[i]):.4g}: {read}"))
    judged = frozenset[str]().union(*(criterion.reads for criterion in results.campaign.criteria))
    for metric in results.campaign.metrics:
        values = results.columns[metric.name]
        if metric.name in judged or np.isnan(values).all():
            continue
        for what, i in (("least", int(np.nanargmin(values))), ("greatest", int(np.nanargmax(values)))):
            cases.append(Case(int(results.run[i]), f"{what} {metric.name}, {values[i]:.4g} {metric.unit}".rstrip()))
    return cases


def success(results: Results) -> Proportion:
    """Return the proportion of runs that fulfil every criterion; a failed run does not."""
    return wilson(int(results.columns["success"].sum()), len(results.run))


def overview(results: Results) -> str:
    """Return the number of finished and failed runs and the success, in a few sentences."""
    campaign, failed = results.campaign, sum(error is not None for error in results.errors)
    text = f"{len(results.run)} of {campaign.runs} runs are done"
    text += f"; {failed} failed and count as no success. " if failed else ". "
    if campaign.criteria:
        return text + f"Success: {success(results)}."
    return text + "The campaign has no success criteria."


def facts(results: Results) -> list[run_report.Fact]:
    """Return the key figures: success by criterion, percentiles of every metric, and the runs to examine."""
    found = []
    if results.campaign.criteria:
        found.append(run_report.Fact("Success", str(success(results))))
    for criterion in results.campaign.criteria:
        holds = results.columns[f"success.{criterion.name}"]
        found.append(run_report.Fact(f"{criterion.name}: {criterion.text}", str(wilson(int(holds.sum()), len(holds)))))
    heads = "least, " + ", ".join(f"{p} %" for p in PERCENTILES) + ", greatest"
    for metric in results.campaign.metrics:
        numbers = "   ".join(f"{value:.4g}" for value in percentiles(results.columns[metric.name]))
        found.append(run_report.Fact(f"{metric.name}{_unit(metric.unit)}: {heads}", numbers))
    for name, each in effects(results).items():
        found += [run_report.Fact(f"Effect of {one.draw} on {name}: mu*, its standard error, sigma",
                                  f"{one.mu_star:.4g}   {one.error:.2g}   {one.sigma:.4g}") for one in each]
    found += [run_report.Fact(f"Run {case.run}", case.why) for case in worst_cases(results)]
    return found


def effects(results: Results) -> dict[str, list[Effect]]:
    """Return the elementary effects on each metric; empty if the sampling of the campaign is not "morris".

    The effects of a metric have the order of the draws. Runs that are not done or failed are left out.
    """
    campaign = results.campaign
    if campaign.sampling != "morris":
        return {}
    drawn = {draw.name: np.array(campaign.values[draw.name]) for draw in campaign.draws if draw.quantile is not None}
    found = {}
    for metric in campaign.metrics:
        values = np.full(campaign.runs, np.nan)
        values[results.run] = results.columns[metric.name]
        found[metric.name] = elementary_effects(drawn, values)
    return found


def _effect_lines(results: Results) -> list[str]:
    """Return a table of elementary effects for each metric, the largest first."""
    units = {metric.name: metric.unit for metric in results.campaign.metrics}
    lines = []
    for metric, found in effects(results).items():
        lines += ["", f"  elementary effects on {metric}{_unit(units[metric])}: mu*, its standard error, sigma"]
        lines += [f"    {each.draw:24}{each.mu_star:>11.4g}{each.error:>11.2g}{each.sigma:>11.4g}"
                  for each in sorted(found, key=lambda each: -np.nan_to_num(each.mu_star))]
    return lines


def _unit(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def describe(results: Results) -> str:
    """Return the summary as text: success, a table of percentiles, worst cases."""
    lines = [f"{results.campaign.name}: {overview(results)}"]
    lines += [f"  {criterion.name}, {criterion.text}: "
              f"{wilson(int(results.columns[f'success.{criterion.name}'].sum()), len(results.run))}"
              for criterion in results.campaign.criteria]
    names = [f"{metric.name}{_unit(metric.unit)}" for metric in results.campaign.metrics]
    width = max(map(len, names))
    heads = ["least", *(f"{p} %" for p in PERCENTILES), "greatest"]
    lines += ["", f"  {'':{width}}" + "".join(f"{head:>11}" for head in heads)]
    for name, metric in zip(names, results.campaign.metrics, strict=True):
        numbers = percentiles(results.columns[metric.name])
        lines.append(f"  {name:{width}}" + "".join(f"{number:>11.4g}" for number in numbers))
    cases = worst_cases(results)
    return "\n".join([*lines, *_effect_lines(results), "", *(f"  run {case.run}: {case.why}" for case in cases)])


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write summary.txt, report.html and, if matplotlib is installed, histograms.png and scatter.png."""
    folder.mkdir(parents=True, exist_ok=True)
    written, figures = [write_text(folder / "summary.txt", describe(results) + "\n")], []
    try:
        for name, figure, caption in plots.figures(results):
            written.append(run_report.write_figure(folder / name, figure))
            figures.append((folder / name, caption))
    except ImportError:
        pass  # the command line reports the missing matplotlib; the other files need no figures
    campaign = results.campaign
    runs = dict.fromkeys(case.run for case in worst_cases(results))
    written.append(run_report.write_report(
        folder / "report.html",
        title=campaign.name,
        summary=overview(results),
        facts=facts(results),
        setting=(f"Scene {campaign.source.scene.get('scene', {}).get('name')}, {campaign.runs} runs, "
                 f"{campaign.sampling}, seed {campaign.seed}. Percentiles are values of single runs, without "
                 "interpolation. Confidence intervals are Wilson's."),
        commands="\n".join(f"contactlib campaign replay {folder} {run}" for run in runs),
        figures=figures,
    ))
    return written
